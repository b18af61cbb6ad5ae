import { eventPosition, logsPerBlockMax } from '../../model/position.ts'
import type { ApplySummary, BlockBatch } from '../indexWriter.ts'
import type { Changes } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { journalRowsMax, listedMax, type ListedChange } from '../layout/journal.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import { attestationJson } from './attestationJson.ts'
import type { Connection } from './connection.ts'

/**
 * The journal of changes, written in the transaction that makes them. Invariants:
 * 1. What blocks brought is one row for the whole batch, the range of its positions: the records are read back from their own
 *    tables, whose row ids are positions. A backfill pays one small row a transaction, whatever the batch holds.
 * 2. A revert lists what it takes back, since no table tells afterwards, and cuts the ranges of the chain off: a
 *    range never covers blocks of another batch, even when the same block numbers come again.
 * 3. The newest row is never deleted, so that sequence numbers, which begin at the time when the database was made, are
 *    never given out twice, nor by two databases that follow one another.
 */

/** Notes what a batch brought, where it brought records. */
export function journalBlocks(
  connection: Connection,
  { chainId }: ChainRow,
  batch: BlockBatch,
  summary: ApplySummary,
): void {
  if (summary.schemas + summary.attestations + summary.revocations === 0) return
  insertRow(connection, [
    chainId,
    eventPosition(batch.fromBlock, 0),
    eventPosition(batch.checkpoint.blockNumber, logsPerBlockMax - 1),
    null,
  ])
}

/** Notes what a revert is about to take back; to be called before it does. */
export function journalRevert(connection: Connection, chain: ChainRow, toBlock: number): void {
  const { first, last } = rowIdsAbove(chain.ordinal, toBlock)
  const firstPosition = rowIdsAbove(0, toBlock).first
  const listed: ListedChange[] = [
    ...attestations(connection, 'a.revoked_id BETWEEN ?1 AND ?2 AND a.id < ?1', first, last).map(
      (summaryJson) => ['revocation', summaryJson] as const,
    ),
    ...attestations(connection, 'a.id BETWEEN ? AND ? ORDER BY a.id DESC', first, last).map(
      (summaryJson) => ['attestation', summaryJson] as const,
    ),
    ...summaries(
      connection,
      'summary_json FROM schema WHERE registered = 1 AND chain_id = ? AND position >= ? ORDER BY position DESC',
      BigInt(chain.chainId),
      firstPosition,
    ).map((summaryJson) => ['schema', summaryJson] as const),
  ]
  connection
    .statement('UPDATE change SET last_position = ?1 - 1 WHERE chain_id = ?2 AND last_position >= ?1')
    .run(firstPosition, chain.chainId)
  insertList(connection, chain, listed)
}

/** Notes the claims of revocations that the transaction settled or took back, but for those that it did both to. */
export function journalClaims(connection: Connection, { chain, claims }: Changes): void {
  const settled = new Set<number>()
  const takenBack = new Map<number, string>()
  for (const { position, isSettled } of claims) {
    if (isSettled) {
      if (!takenBack.delete(position)) settled.add(position)
    } else takenBack.set(position, summaryAt(connection, chain, position))
  }
  insertList(connection, chain, [
    ...[...takenBack.values()].map((summaryJson) => ['revocation', summaryJson] as const),
    ...[...settled].map((position) => ['settled', position] as const),
  ])
}

function insertList(connection: Connection, chain: ChainRow, listed: readonly ListedChange[]): void {
  if (listed.length === 0) return
  const body = listed.length > listedMax ? null : JSON.stringify(listed)
  insertRow(connection, [chain.chainId, null, null, body])
}

function insertRow(connection: Connection, values: readonly (number | string | null)[]): void {
  connection
    .statement(
      'INSERT INTO change (sequence, chain_id, first_position, last_position, body_json) ' +
        'SELECT max(sequence) + 1, ?, ?, ?, ? FROM change',
    )
    .run(...values)
  connection
    .statement(`DELETE FROM change WHERE sequence <= (SELECT max(sequence) FROM change) - ${journalRowsMax}`)
    .run()
}

function attestations(connection: Connection, condition: string, first: bigint, last: bigint): string[] {
  return summaries(
    connection,
    `${attestationJson.summary} FROM attestation a WHERE ${condition}`,
    first,
    last,
  )
}

/** `selected`: the expression of a summary, and the rows that have it. */
function summaries(connection: Connection, selected: string, first: bigint, last: bigint): string[] {
  return connection
    .statement<[string]>(`SELECT ${selected} LIMIT ${listedMax + 1}`)
    .all(first, last)
    .map(([summaryJson]) => summaryJson)
}

function summaryAt(connection: Connection, chain: ChainRow, position: number): string {
  const id = (BigInt(chain.ordinal) << 53n) | BigInt(position)
  const row = connection
    .statement<[string]>(`SELECT ${attestationJson.summary} FROM attestation a WHERE a.id = ?`)
    .get(id)
  if (row === undefined) throw new Error(`the claim at position ${position} has no record`)
  return row[0]
}
