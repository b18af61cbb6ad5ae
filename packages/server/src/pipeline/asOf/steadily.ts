import type { PastReader } from '@attestry/core/index/indexReader.ts'

/** How often an answer is made anew because the index changed meanwhile. */
const triesMax = 5

export interface SteadyAnswer<Answer> {
  readonly answer: Answer
  /** The version of the index that the whole answer is of; null if the index changed at each try. */
  readonly version: number | null
}

/**
 * Makes an answer of several reads in one state of the index. `make` receives the version that the answer will be of.
 * @param begunAt a version of the index from just before.
 */
export async function steadily<Answer>(
  reader: Pick<PastReader, 'indexVersion'>,
  begunAt: number,
  make: (version: number) => Promise<Answer>,
): Promise<SteadyAnswer<Answer>> {
  let before = begunAt
  for (let tries = 1; ; tries++) {
    const answer = await make(before)
    const after = await reader.indexVersion()
    if (after === before) return { answer, version: after }
    if (tries === triesMax) return { answer, version: null }
    before = after
  }
}
