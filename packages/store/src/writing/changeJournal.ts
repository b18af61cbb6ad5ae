import { schemaMembers } from '@attestry/core/model/recordJson.ts'
import { eventPosition, positionsPerBlock } from '@attestry/core/model/position.ts'
import type { ApplySummary, BlockBatch } from '@attestry/core/index/indexWriter.ts'
import { attestationJson, membersJson } from '../port/attestationJson.ts'
import type { Changes } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { agedRowsMax, listedMax, revertListedMax, type ListedChange } from '../layout/journal.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { SqlInput } from '../port/reads.ts'
import type { Tables } from '../port/tables.ts'
import { anchorColumns, storedAnchorOfRow, type AnchorRow } from '../reading/anchors.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from '../reading/storedSchema.ts'
import type { WriterState } from './writerState.ts'

/**
 * The journal of changes, written in the transaction that makes them. Invariants:
 * 1. The records of a batch are one row, the range of their positions. Readers get the records from their own tables,
 *    whose row ids are positions. A backfill pays one small row a transaction, whatever the batch holds.
 * 2. A revert lists the reverted records, since no table has them afterwards, and cuts off the ranges of the chain. So
 *    a range never covers blocks of another batch, even if the same block numbers come again.
 * 3. The newest row is never deleted. Sequence numbers begin at the time when the database was made. So a number is
 *    never reused, not even by a database that replaces another.
 * 4. Sequence numbers are assigned under the lock of the index's state, in the order of the commits: a reader that sees
 *    one sees all before it.
 */

/** Notes the records and anchors that a batch brought, if it brought any. */
export function journalBlocks(
  state: WriterState,
  { chainId }: ChainRow,
  batch: BlockBatch,
  summary: ApplySummary,
): void {
  const { schemas, attestations, revocations, anchors } = summary
  if (schemas + attestations + revocations + anchors === 0) return
  journalRow(
    state,
    chainId,
    eventPosition(batch.fromBlock, 0),
    eventPosition(batch.checkpoint.blockNumber, positionsPerBlock - 1),
    null,
  )
}

/** Notes what a revert will delete; must be called before the rows are deleted. */
export async function journalRevert(state: WriterState, chain: ChainRow, toBlock: number): Promise<void> {
  const { tables } = state
  const { first, last } = rowIdsAbove(chain.ordinal, toBlock)
  const firstPosition = rowIdsAbove(0, toBlock).first
  const { dialect } = tables
  const ofAttestations = `${attestationJson(dialect).summary}, a.protocol FROM attestation a`
  const revocations = await summaries(
    tables,
    `${ofAttestations} WHERE a.revoked_id BETWEEN ? AND ? AND a.id < ? ORDER BY a.revoked_id`,
    [first, last, first],
  )
  const attestations = await summaries(
    tables,
    `${ofAttestations} WHERE a.id BETWEEN ? AND ? ORDER BY a.id DESC`,
    [first, last],
  )
  const schemas = await tables.all<SchemaRow>(
    `SELECT ${schemaColumns} FROM schema s WHERE ${dialect.flag('s.registered', true)} AND s.chain_id = ? ` +
      `AND s.position >= ? ORDER BY s.position DESC LIMIT ${revertListedMax + 1}`,
    chain.chainId,
    firstPosition,
  )
  const anchors = await tables.all<AnchorRow>(
    `SELECT ${anchorColumns} FROM anchor a WHERE a.id BETWEEN ? AND ? ORDER BY a.id DESC LIMIT ${revertListedMax + 1}`,
    first,
    last,
  )
  state.journal.push(async () => {
    await tables.run(
      'UPDATE change SET last_position = ? WHERE chain_id = ? AND last_position >= ?',
      firstPosition - 1n,
      chain.chainId,
      firstPosition,
    )
  })
  journalList(state, chain, [
    ...revocations.map((row) => ['revocation', ...row] as const),
    ...attestations.map((row) => ['attestation', ...row] as const),
    ...schemas.map((row) => {
      const schema = storedSchemaOfRow(dialect, row)
      return ['schema', membersJson(schemaMembers(schema)), schema.key.protocol] as const
    }),
    ...anchors.map((row) => ['anchor', storedAnchorOfRow(dialect, row)] as const),
  ])
}

/** Notes the claims of revocations that the transaction settled or unsettled, except those that it did both to. */
export async function journalClaims(state: WriterState, { chain, claims }: Changes): Promise<void> {
  const settled = new Set<number>()
  const takenBack = new Set<number>()
  for (const { position, isSettled } of claims) {
    if (!isSettled) takenBack.add(position)
    else if (!takenBack.delete(position)) settled.add(position)
  }
  const known = await summariesAt(state.tables, chain, [...takenBack])
  journalList(state, chain, [
    ...known.map((row) => ['revocation', ...row] as const),
    ...[...settled].map((position) => ['settled', position] as const),
  ])
}

function journalList(state: WriterState, { chainId }: ChainRow, listed: readonly ListedChange[]): void {
  if (listed.length > revertListedMax) return journalRow(state, chainId, null, null, null)
  for (let first = 0; first < listed.length; first += listedMax) {
    const body = JSON.stringify(listed.slice(first, first + listedMax))
    journalRow(state, chainId, null, null, body)
  }
}

/** Writes a row once the state is locked. */
function journalRow(state: WriterState, ...values: readonly SqlInput[]): void {
  state.journal.push(() => insertRow(state, ...values))
}

async function insertRow(
  { tables, memory: { journal } }: WriterState,
  ...values: readonly SqlInput[]
): Promise<void> {
  const now = tables.dialect.nowMs
  await tables.run(
    'INSERT INTO change (sequence, written_at, chain_id, first_position, last_position, body_json) ' +
      `SELECT max(sequence) + 1, ${now}, CAST(? AS bigint), CAST(? AS bigint), CAST(? AS bigint), CAST(? AS text) FROM change`,
    ...values,
  )
  const newest = '(SELECT max(sequence) FROM change)'
  await tables.run(`DELETE FROM change WHERE sequence <= ${newest} - ${journal.rowsMax}`)
  await tables.run(
    `DELETE FROM change WHERE sequence < ${newest} AND written_at < ${now} - ${journal.ageMaxMs} ` +
      `AND sequence IN (SELECT sequence FROM change ORDER BY sequence LIMIT ${agedRowsMax})`,
  )
}

type Summary = [summaryJson: string, protocol: string]

/** `selected`: the expressions of a summary and its protocol, and the rows that have them. */
async function summaries(
  tables: Tables,
  selected: string,
  parameters: readonly SqlInput[],
): Promise<Summary[]> {
  return await tables.all<Summary>(`SELECT ${selected} LIMIT ${revertListedMax + 1}`, ...parameters)
}

/** The summaries of the attestations at these positions, in their order. */
async function summariesAt(
  tables: Tables,
  chain: ChainRow,
  positions: readonly number[],
): Promise<Summary[]> {
  const base = BigInt(chain.ordinal) << 53n
  const rows = await tables.firstOf<Summary>(
    `SELECT ${attestationJson(tables.dialect).summary}, a.protocol FROM attestation a WHERE a.id = k.id`,
    { id: { type: 'int64', values: positions.map((position) => base + BigInt(position)) } },
  )
  return rows.map((row, index) => {
    if (row === undefined) throw new Error(`the claim at position ${positions[index]} has no record`)
    return row
  })
}
