import type { IndexReader } from '../../store/indexReader.ts'

/**
 * Returns a function that reads the version of the index once a turn of the event loop: a snapshot of the index lasts as
 * long. Over PostgreSQL the requests of one turn share a statement; twelve that ask for kept answers would take two.
 */
export function createVersionOfTurn(reader: Pick<IndexReader, 'indexVersion'>): () => Promise<number> {
  let versionOfTurn: Promise<number> | null = null
  return () => {
    if (versionOfTurn === null) {
      versionOfTurn = reader.indexVersion()
      setImmediate(() => {
        versionOfTurn = null
      })
    }
    return versionOfTurn
  }
}
