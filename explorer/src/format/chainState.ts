import type { Chain } from '../api/types.ts'
import { formatLongDuration } from './formatTime.ts'

/** The state of a chain for its row: a word, and whether it is a problem. */
export interface ChainState {
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet'
}

/** A chain that is this many seconds behind gets a warning. */
const behindSecondsMax = 300

export function chainState({ phase, secondsBehind }: Pick<Chain, 'phase' | 'secondsBehind'>): ChainState {
  const behind = secondsBehind ?? 0
  const lag = `${formatLongDuration(behind)} behind`
  switch (phase) {
    case 'starting':
      return { word: 'Starting', tone: 'quiet' }
    case 'backfilling':
      return { word: secondsBehind === null ? 'Catching up' : `Catching up, ${lag}`, tone: 'warn' }
    case 'retrying':
      return { word: behind > 0 ? `Not answering, ${lag}` : 'Not answering', tone: 'bad' }
    case 'stopped':
      return { word: behind > 0 ? `Stopped, ${lag}` : 'Stopped', tone: 'bad' }
    case 'paused':
      return { word: 'Paused', tone: 'quiet' }
    case 'following':
      if (behind > behindSecondsMax) return { word: lag, tone: 'warn' }
      return { word: behind < 15 ? 'Up to date' : lag, tone: 'good' }
  }
}

/** A notice about a chain for readers of any page; null if the chain is up to date or is not expected to be. */
export function chainTrouble(
  chain: Pick<Chain, 'name' | 'phase' | 'secondsBehind' | 'lastError'>,
): string | null {
  const { word, tone } = chainState(chain)
  if (tone === 'good' || tone === 'quiet') return null
  const reason = chain.lastError === null ? '' : ` ${chain.lastError}`
  return `${chain.name}: ${word.charAt(0).toLowerCase()}${word.slice(1)}. Newer records may be missing here.${reason}`
}
