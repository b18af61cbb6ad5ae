import { formatDay } from '@attestry/core/model/time.ts'
import type {
  ActivityDay,
  AnchorCount,
  ProtocolDay,
  ProtocolTotals,
} from '@attestry/core/index/storedRecords.ts'

/** Counts by day, and totals (docs/api.md, "Statistics, series, chains"). */

/** The attestations under a schema on a day. */
export function presentSchemaDay({ day, attestations }: ActivityDay) {
  return { date: formatDay(day), attestationCount: attestations }
}

/** The activity of an address on a day, in the names of its statistics. */
export function presentAddressDay({ day, attestations, received, schemas }: ActivityDay) {
  return {
    date: formatDay(day),
    schemaCreated: schemas,
    attestationCreated: attestations,
    attestationReceived: received,
  }
}

/** The activity of the whole index on a day. */
export function presentDay({ day, attestations, schemas }: ActivityDay | ProtocolDay) {
  return { date: formatDay(day), schemaCount: schemas, attestationCount: attestations }
}

/** The totals of one protocol on one chain, with its activity by day. */
export function presentProtocolTotals(
  { chainId, protocol, ...counts }: ProtocolTotals,
  days: readonly ProtocolDay[],
) {
  const { schemaCount, attestationCount, revocationCount } = counts
  return {
    chainId: String(chainId),
    protocol,
    schemaCount,
    attestationCount,
    revocationCount,
    days: days.map(presentDay),
  }
}

/** How many off-chain anchors of one kind there are on a chain. */
export function presentAnchors({ chainId, anchor, count }: AnchorCount) {
  return { chainId: String(chainId), event: anchor, count }
}
