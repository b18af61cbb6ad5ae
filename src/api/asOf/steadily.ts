import type { IndexReader } from '../../store/indexReader.ts'

/** How often an answer is made anew because the index moved meanwhile. */
const triesMax = 5

/** Makes an answer of several reads in one state of the index. */
export async function steadily<Answer>(
  reader: Pick<IndexReader, 'indexVersion'>,
  make: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const version = await reader.indexVersion()
    const answer = await make()
    if (tries === triesMax || (await reader.indexVersion()) === version) return answer
  }
}
