import type { PastReader } from '@attestry/core/index/indexReader.ts'

/**
 * Returns a function that reads the version of the index once a turn of the event loop: a snapshot of the index lasts as
 * long. Over PostgreSQL the requests of one turn share a statement; twelve that ask for kept answers would take two.
 * @param everyMs how long a version that was read may count beyond its turn; 0: not at all.
 */
export function createVersionOfTurn(
  reader: Pick<PastReader, 'indexVersion'>,
  everyMs = 0,
  nowMs = () => performance.now(),
): () => Promise<number> {
  let versionOfTurn: Promise<number> | null = null
  let readAtMs = Number.NEGATIVE_INFINITY
  return () => {
    if (versionOfTurn !== null && (everyMs === 0 || nowMs() - readAtMs < everyMs)) return versionOfTurn
    const reading = reader.indexVersion()
    versionOfTurn = reading
    readAtMs = nowMs()
    const forget = () => {
      if (versionOfTurn === reading) versionOfTurn = null
    }
    reading.catch(forget)
    if (everyMs === 0) setImmediate(forget)
    return reading
  }
}
