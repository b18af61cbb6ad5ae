import type { Address } from '@attestry/core/model/hex.ts'
import type { TakeTurn } from '@attestry/core/model/threadTurns.ts'
import {
  everyAttestation,
  type AttestationGroup,
  type AttestationGroups,
  type GroupsRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'
import { createActivityAsOf } from './activityAsOf.ts'
import { statisticsAsOf } from './addressAsOf.ts'
import { findSchemasAsOf } from './schemaAsOf.ts'
import type { Projection } from '../port/projection.ts'
import { byCount } from './groupKeys.ts'
import type { PastSessions } from './sessionsAsOf.ts'

/**
 * The reader as of a moment (`IndexReader.asOf`): corrects the answers that `reader` cannot find by the end of its
 * lists.
 * @param newest the reader of the newest state, for counters by day and chain of which only the last are counted anew.
 * @param reader reads over the same sessions, whose reads of lists end at the moment.
 */
export function openPastReader(
  sessions: PastSessions,
  newest: Pick<IndexReader, 'listTotals' | 'listProtocolDays'>,
  reader: PastReader,
  projections: readonly Projection[],
): PastReader {
  const { readPast } = sessions
  const past: PastReader = {
    ...reader,
    findSchema: (key) =>
      readPast(async (session) => {
        const [schema = null] = await findSchemasAsOf(session, session.cut, [key])
        return schema
      }),
    findSchemas: (keys) => readPast((session) => findSchemasAsOf(session, session.cut, keys)),
    ...createActivityAsOf(sessions, newest, reader),
    groupAttestations: async (request, turn) => {
      if (request.by !== 'revoked') return await reader.groupAttestations(request, turn)
      return await groupRevoked(reader, request, turn)
    },
    listTopAttesters: async (schema, size) => {
      const request = { by: 'attester', filter: { ...everyAttestation, schema }, page: 1, size } as const
      const { groups, rows } = await reader.groupAttestations(request)
      return {
        total: groups,
        rows: rows.map(({ key, count }) => ({ address: key.toLowerCase() as Address, count })),
      }
    },
    addressStatistics: (address) => readPast((session) => statisticsAsOf(session, address)),
  }
  const ofProjections = projections.map((projection) => projection.openPastReads(sessions, past))
  return Object.assign({}, past, ...ofProjections) as PastReader
}

/** Whether an attestation is revoked is no column as of a moment: both groups are counts. */
async function groupRevoked(
  { countAttestations }: PastReader,
  { filter, page, size }: GroupsRequest,
  turn?: TakeTurn,
): Promise<AttestationGroups> {
  const counts: AttestationGroup[] = []
  for (const revoked of [true, false]) {
    if (filter.revoked !== null && filter.revoked !== revoked) continue
    const count = await countAttestations({ ...filter, revoked }, turn)
    if (count > 0) counts.push({ key: String(revoked), count })
  }
  counts.sort(byCount)
  return {
    total: counts.reduce((sum, { count }) => sum + count, 0),
    groups: counts.length,
    rows: counts.slice((page - 1) * size, page * size),
  }
}
