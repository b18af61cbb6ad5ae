import { answerAgeSeconds } from '../api/serverContact.ts'
import { isSilent } from '../format/chainState.ts'
import { useNow } from './now.ts'

/** Seconds since the server answered about its chains, kept up to date. */
export function useAnswerAge(): number {
  return useNow(answerAgeSeconds)
}

/** Whether the server has been silent for so long that nothing on the page is known to be of the present. */
export function useIsSilent(): boolean {
  return useNow(() => isSilent(answerAgeSeconds()))
}
