import type { Address } from '../../model/hex.ts'
import type { UnixMilliseconds } from '../../model/time.ts'
import type { RevertSummary } from '../indexWriter.ts'
import {
  type Changes,
  countAnchor,
  countAttestation,
  countRevocation,
  countSchema,
  createChanges,
  schemaChanges,
} from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import { journalClaims, journalRevert } from './changeJournal.ts'
import { revertRevocations, settleClaims, unsettleClaims } from './revocations.ts'
import { revertNames, updateNames } from './schemaNames.ts'
import { writeChanges } from './writeChanges.ts'
import { writeProtocolCounts } from './writeProtocolCounts.ts'
import { loadAddressesById, loadSchemasById, type WriterState } from './writerState.ts'
import { clearRegistrations } from './writeSchema.ts'

/**
 * Takes back everything above a block within the running transaction, through the same counters that applying moves, with
 * the sign turned. `chain` becomes the chain's row as it shall be written.
 */
export async function revertBlocks(
  state: WriterState,
  chain: ChainRow,
  toBlock: number,
  revertedAt: UnixMilliseconds,
): Promise<{ readonly summary: RevertSummary; readonly touched: boolean }> {
  const { connection } = state
  const changes = createChanges(-1, chain, revertedAt)
  await journalRevert(connection, chain, toBlock)
  const revocations = await revertRevocations(connection, changes, toBlock)
  await revertNames(connection, changes, toBlock)
  const attestations = await revertAttestations(state, changes, toBlock)
  const schemas = await revertSchemas(state, changes, toBlock)
  await revertLogs(state, changes, toBlock)
  await writeChanges(state, changes)
  await moveCheckpoint(state, chain, toBlock)
  await unsettleClaims(connection, changes)
  await settleClaims(connection, changes)
  await journalClaims(connection, changes)
  await updateNames(connection, changes)
  await writeProtocolCounts(connection, changes)
  return { summary: { schemas, attestations, revocations }, touched: changes.touched }
}

type RevertedRow = [
  schemaId: number,
  attesterId: number,
  timestamp: number,
  recipientIds: readonly number[],
  hasValues: boolean,
  isRevoked: boolean,
  protocol: string,
]

async function revertAttestations(state: WriterState, changes: Changes, toBlock: number): Promise<number> {
  const { connection } = state
  const { chainId, ordinal } = changes.chain
  const { first, last } = rowIdsAbove(ordinal, toBlock)
  await deletePostings(state, first, last)
  const rows = await connection.all<RevertedRow>(
    'DELETE FROM attestation WHERE id BETWEEN ? AND ? RETURNING schema_id, attester_id, attest_timestamp, ' +
      'recipient_ids, value_keys IS NOT NULL, revoke_timestamp IS NOT NULL, protocol',
    first,
    last,
  )
  const schemas = await loadSchemasById(
    state,
    rows.map(([schemaId]) => schemaId),
  )
  const addresses = await loadAddressesById(
    state,
    rows.flatMap(([, attesterId, , recipientIds]) => [attesterId, ...recipientIds]),
  )
  for (const [schemaId, attesterId, timestamp, recipientIds, , isRevoked, protocol] of rows) {
    countAttestation(changes, {
      protocol,
      timestamp,
      chainId,
      schema: entryOf(schemas, schemaId),
      attester: entryOf(addresses, attesterId),
      recipients: recipientIds.map((id) => entryOf(addresses, id)),
    })
    if (isRevoked) countRevocation(changes, protocol, -1)
  }
  await connection.run('DELETE FROM revocation_claim WHERE id BETWEEN ? AND ?', first, last)
  return rows.length
}

/** Deletes what stands in other tables of attestations, each found by the whole key of its index. */
async function deletePostings({ connection }: WriterState, first: bigint, last: bigint): Promise<void> {
  await connection.run(
    'DELETE FROM received r USING attestation a, unnest(a.recipient_ids) AS u (address_id) ' +
      'WHERE a.id BETWEEN ? AND ? AND r.address_id = u.address_id AND r.is_self = (u.address_id = a.attester_id) ' +
      'AND r.chain_id = a.chain_id AND r.attest_timestamp = a.attest_timestamp AND r.id = a.id',
    first,
    last,
  )
  await connection.run(
    'DELETE FROM value_posting v USING attestation a, generate_series(0, length(a.value_keys) / 16 - 1) AS u (at) ' +
      'WHERE a.id BETWEEN ? AND ? AND v.value_key = substr(a.value_keys, u.at * 16 + 1, 16) ' +
      'AND v.attest_timestamp = a.attest_timestamp AND v.chain_id = a.chain_id AND v.id = a.id',
    first,
    last,
  )
}

async function revertSchemas(state: WriterState, changes: Changes, toBlock: number): Promise<number> {
  const { connection } = state
  const { chain } = changes
  const { first } = rowIdsAbove(0, toBlock)
  const rows = await connection.all<[number, number, number, string]>(
    'SELECT id, registrant_id, register_timestamp, protocol FROM schema WHERE registered AND chain_id = ? AND position >= ?',
    chain.chainId,
    first,
  )
  if (rows.length === 0) return 0
  const schemas = await loadSchemasById(
    state,
    rows.map(([id]) => id),
  )
  const registrants = await loadAddressesById(
    state,
    rows.map(([, registrantId]) => registrantId),
  )
  for (const [id, registrantId, registerTimestamp, protocol] of rows) {
    const entry = entryOf(schemas, id)
    schemaChanges(changes, entry)
    entry.registered = false
    countSchema(changes, protocol, entryOf(registrants, registrantId), registerTimestamp)
  }
  await clearRegistrations(
    connection,
    rows.map(([id]) => id),
  )
  return rows.length
}

async function revertLogs(state: WriterState, changes: Changes, toBlock: number): Promise<void> {
  const { connection } = state
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const anchors = await connection.all<[string, Address | null]>(
    'DELETE FROM anchor WHERE id BETWEEN ? AND ? RETURNING kind, account',
    first,
    last,
  )
  for (const [kind, account] of anchors) countAnchor(changes, kind, account)
  const undecodable = await connection.run('DELETE FROM undecodable WHERE id BETWEEN ? AND ?', first, last)
  if (undecodable === 0) return
  changes.chain.undecodableCount -= undecodable
  changes.touched = true
}

async function moveCheckpoint({ connection }: WriterState, chain: ChainRow, toBlock: number): Promise<void> {
  await connection.run('DELETE FROM recent_block WHERE chain_id = ? AND number > ?', chain.chainId, toBlock)
  const remembered = await connection.get<[number]>(
    'SELECT timestamp FROM recent_block WHERE chain_id = ? AND number = ?',
    chain.chainId,
    toBlock,
  )
  chain.checkpointBlock = toBlock === -1 ? null : toBlock
  chain.checkpointTimestamp = remembered?.[0] ?? null
  if (chain.rewindTo !== null && toBlock <= chain.rewindTo) chain.rewindTo = null
}

function entryOf<Entry>(entries: ReadonlyMap<number, Entry>, id: number): Entry {
  const entry = entries.get(id)
  if (entry === undefined) throw new Error(`the dictionary has no row ${id}`)
  return entry
}
