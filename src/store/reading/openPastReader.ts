import { StoreInvariantError } from '../../errors/storeErrors.ts'
import type { IndexReader } from '../indexReader.ts'
import { statisticsAsOf } from './addressAsOf.ts'
import { findStatusesAsOf } from './findStatuses.ts'
import { findSchemasAsOf } from './schemaAsOf.ts'
import type { PastSessions } from './sessionsAsOf.ts'

/** Reads that know the newest state alone. */
const newestOnly = [
  'listTopSchemas',
  'listTrendingSchemas',
  'searchSchemas',
  'searchAttestations',
  'searchAddresses',
  'findPresent',
  'findDigest',
  'findEvent',
  'exportLines',
] as const satisfies readonly (keyof IndexReader)[]

/** The reader as of a moment, over a reader of the same sessions. */
export function openPastReader({ readPast }: PastSessions, reader: IndexReader): IndexReader {
  const refused = Object.fromEntries(newestOnly.map((name) => [name, refuse(name)])) as unknown as Pick<
    IndexReader,
    (typeof newestOnly)[number]
  >
  return {
    ...reader,
    ...refused,
    findSchema: (key) =>
      readPast(async (session) => {
        const [schema = null] = await findSchemasAsOf(session, session.cut, [key])
        return schema
      }),
    findSchemas: (keys) => readPast((session) => findSchemasAsOf(session, session.cut, keys)),
    findStatuses: (keys, now) =>
      readPast(({ connection, cut }) => findStatusesAsOf(connection, cut, keys, now)),
    addressStatistics: (address) => readPast((session) => statisticsAsOf(session, address)),
  }
}

function refuse(name: string): () => never {
  return () => {
    throw new StoreInvariantError(`${name} knows the newest state of the index alone`)
  }
}
