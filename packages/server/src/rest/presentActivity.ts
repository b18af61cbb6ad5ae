import { formatDay } from '@attestry/core/model/time.ts'
import type {
  ActivityDay,
  AnchorCount,
  ProtocolDay,
  ProtocolTotals,
} from '@attestry/core/index/storedRecords.ts'
import { joinRows } from '../records/presentList.ts'

/** Counts by day, and totals (docs/api.md, "Statistics, series, chains"). */

/** The attestations under a schema on a day. */
export function presentSchemaDay({ day, attestations }: ActivityDay): string {
  return JSON.stringify({ date: formatDay(day), attestationCount: attestations })
}

/** The activity of an address on a day, in the names of its statistics. */
export function presentAddressDay({ day, attestations, received, schemas }: ActivityDay): string {
  return JSON.stringify({
    date: formatDay(day),
    schemaCreated: schemas,
    attestationCreated: attestations,
    attestationReceived: received,
  })
}

/** The activity of the whole index on a day. */
export function presentDay({ day, attestations, schemas }: ActivityDay | ProtocolDay): string {
  return JSON.stringify({ date: formatDay(day), schemaCount: schemas, attestationCount: attestations })
}

/** The totals of one protocol on one chain, with its activity by day. */
export function presentProtocolTotals(totals: ProtocolTotals, days: readonly ProtocolDay[]): string {
  const { chainId, protocol, schemaCount, attestationCount, revocationCount } = totals
  const counts = JSON.stringify({
    chainId: String(chainId),
    protocol,
    schemaCount,
    attestationCount,
    revocationCount,
  })
  return `${counts.slice(0, -1)},"days":${joinRows(days, presentDay)}}`
}

/** How many off-chain anchors of one kind there are on a chain. */
export function presentAnchors({ chainId, anchor, count }: AnchorCount): string {
  return JSON.stringify({ chainId: String(chainId), event: anchor, count })
}
