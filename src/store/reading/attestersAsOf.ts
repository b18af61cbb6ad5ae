import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import { placeOfCut, type Cut } from './cut.ts'
import type { ReadSession } from './session.ts'

/** Attesters that are looked up, or attestations that are read, for one schema. */
const looksMax = 200_000

/**
 * How many attesters a schema had as of a moment: its attestations are read, or its present attesters are looked up,
 * whichever are fewer.
 * @throws StoreTooMuchWorkError where both are too many.
 */
export async function countAttestersAsOf(
  { connection }: ReadSession,
  cut: Cut,
  schemaId: number,
  { attestations, attestersNow }: { readonly attestations: number; readonly attestersNow: number },
): Promise<number> {
  if (attestations <= 1 || attestersNow <= 1) return Math.min(attestations, attestersNow)
  if (Math.min(attestations, attestersNow) > looksMax) {
    throw new StoreTooMuchWorkError('a schema has too many attesters to be counted as of a block', {
      facts: { rowsMax: looksMax },
    })
  }
  const { dialect } = connection
  const { before, last } = await placeOfCut(connection, cut, 'attestation')
  const upTo = last ?? 2n ** 63n - 1n
  const isMade = 'e.attest_timestamp < ? AND e.id <= ?'
  const row =
    attestations <= attestersNow
      ? await connection.get<[number]>(
          `SELECT count(DISTINCT e.attester_id) FROM ${dialect.walked('attestation', 'e', 'attestation_by_schema')} ` +
            `WHERE e.schema_id = ? AND ${isMade}`,
          schemaId,
          before,
          upTo,
        )
      : await connection.get<[number]>(
          `SELECT count(*) FROM schema_attester x ${dialect.drivenJoin} address d ON d.bytes = x.attester ` +
            `WHERE x.schema_id = ? AND EXISTS (SELECT 1 FROM ` +
            `${dialect.walked('attestation', 'e', 'attestation_by_attester_schema')} ` +
            `WHERE e.attester_id = d.id AND e.schema_id = ? AND ${isMade})`,
          schemaId,
          schemaId,
          before,
          upTo,
        )
  return row?.[0] ?? 0
}
