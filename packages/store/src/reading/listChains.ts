import { describeHistory } from '@attestry/core/model/chainState.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import { digestOfColumns, formatDigest, type DigestColumns } from '../layout/chainDigest.ts'
import { progressTable } from '../layout/projectionStatements.ts'
import { chainStatusOf, findingsOf, statusColumns, type StatusColumns } from '../layout/chainStatus.ts'
import type { Projection } from '../port/projection.ts'
import type { Reads } from '../port/reads.ts'
import { pendingFields } from './pendingFields.ts'

/**
 * Lists the chains of the index by chain id. How far each is indexed comes from its checkpoint, not from its saved
 * status. One statement, so that the counts belong to one state of the index.
 */
export async function listChains(
  reads: Reads,
  projections: readonly Projection[] = [],
): Promise<ChainOverview[]> {
  const rows = await reads.all<
    [
      anchor: string | null,
      anchorCount: number | null,
      schemaCount: number,
      attestationCount: number,
      revocationCount: number,
      undecodableCount: number,
      fieldsPending: number,
      rewindTo: number | null,
      ...DigestColumns,
      ...StatusColumns,
    ]
  >(
    'SELECT n.kind, n.count, c.schema_count, c.attestation_count, c.revocation_count, c.undecodable_count, ' +
      `${pendingFields(reads.dialect, 'c.chain_id')}, ${rewindOf(projections)}, c.digest_block, c.digest_events, c.digest, ${statusColumns} ` +
      'FROM chain c LEFT JOIN anchor_count n ON n.chain_id = c.chain_id ORDER BY c.chain_id, n.kind',
  )
  const chains = new Map<number, ChainOverview & { readonly anchorCounts: Record<string, number> }>()
  for (const [anchor, count, schemaCount, attestationCount, revocationCount, ...others] of rows) {
    const [undecodableCount, fieldsPending, rewindTo, block, events, sum, ...statusRow] = others
    const [chainId, , contractsJson] = statusRow
    let chain = chains.get(chainId)
    if (chain === undefined) {
      const counts = { schemaCount, attestationCount, revocationCount, undecodableCount, fieldsPending }
      const digest = formatDigest(digestOfColumns([block, events, sum]))
      const contracts = JSON.parse(contractsJson) as IndexedContract[]
      const status = chainStatusOf(statusRow)
      const { defect, verification } = findingsOf(statusRow)
      const history = describeHistory(contracts, status, defect)
      const found = { status, defect, verification, history }
      chain = { ...found, rewindTo, contracts, ...counts, digest, anchorCounts: {} }
      chains.set(chainId, chain)
    }
    if (anchor !== null && count !== null) chain.anchorCounts[anchor] = count
  }
  return [...chains.values()]
}

/**
 * The block to which the index of a chain `c` is to be reverted, or NULL. A chain whose projections do not stand at its
 * checkpoint is to be read again (`openChain`).
 */
export function rewindOf(projections: readonly Projection[]): string {
  if (projections.length === 0) return 'c.rewind_to'
  const names = projections.map(({ name }) => `'${name}'`).join(', ')
  return (
    `CASE WHEN c.checkpoint_block IS NOT NULL AND (SELECT count(*) FROM ${progressTable.name} p WHERE p.chain_id = c.chain_id ` +
    `AND p.block = c.checkpoint_block AND p.projection IN (${names})) < ${projections.length} THEN -1 ELSE c.rewind_to END`
  )
}
