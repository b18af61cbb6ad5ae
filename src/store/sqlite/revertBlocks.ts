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
import type { AddressEntry, ChainRow, SchemaEntry } from '../layout/entries.ts'
import { positionMask, rowIdsAbove } from '../layout/rowId.ts'
import { journalClaims, journalRevert } from './changeJournal.ts'
import { revertRevocations, settleClaims, unsettleClaims } from './revocations.ts'
import { revertNames, updateNames } from './schemaNames.ts'
import { deleteReceived, deleteValues } from './writeAttestation.ts'
import { writeChanges } from './writeChanges.ts'
import { writeProtocolCounts } from './writeProtocolCounts.ts'
import { addressEntryById, schemaEntryById, type WriterState } from './writerState.ts'
import { clearRegistration } from './writeSchema.ts'

/**
 * Takes back everything above a block within the running transaction, through the same counters that applying moves, with
 * the sign turned. `chain` becomes the chain's row as it shall be written. The caller drops the state's caches.
 */
export function revertBlocks(
  state: WriterState,
  chain: ChainRow,
  toBlock: number,
  revertedAt: UnixMilliseconds,
): { readonly summary: RevertSummary; readonly touched: boolean } {
  const { connection } = state
  const changes = createChanges(-1, chain, revertedAt)
  journalRevert(connection, chain, toBlock)
  const revocations = revertRevocations(connection, changes, toBlock)
  revertNames(connection, changes, toBlock)
  const attestations = revertAttestations(state, changes, toBlock)
  const schemas = revertSchemas(state, changes, toBlock)
  revertLogs(state, changes, toBlock)
  writeChanges(state, changes)
  moveCheckpoint(state, chain, toBlock)
  unsettleClaims(connection, changes)
  settleClaims(connection, changes)
  journalClaims(connection, changes)
  updateNames(connection, changes)
  writeProtocolCounts(connection, changes)
  return { summary: { schemas, attestations, revocations }, touched: changes.touched }
}

function revertAttestations(state: WriterState, changes: Changes, toBlock: number): number {
  const { connection } = state
  const { chain } = changes
  const { first, last } = rowIdsAbove(chain.ordinal, toBlock)
  const addresses = new Map<number, AddressEntry>()
  const schemas = new Map<number, SchemaEntry>()
  const rows = connection
    .statement<[number, number, number, number, string | null, Uint8Array | null, number, string]>(
      `SELECT id & ${positionMask}, schema_id, attester_id, attest_timestamp, recipient_ids, value_keys, ` +
        'revoke_timestamp IS NOT NULL, protocol FROM attestation WHERE id BETWEEN ? AND ? ORDER BY id',
    )
    .iterate(first, last)
  let count = 0
  for (const row of rows) {
    const [position, schemaId, attesterId, timestamp, recipientIds, valueKeys, revoked, protocol] = row
    const id = (BigInt(chain.ordinal) << 53n) | BigInt(position)
    const schema = remembered(schemas, schemaId, (key) => schemaEntryById(state, key))
    const attester = remembered(addresses, attesterId, (key) => addressEntryById(state, key))
    const recipients = (recipientIds?.split(',') ?? []).map((text) =>
      remembered(addresses, Number(text), (key) => addressEntryById(state, key)),
    )
    for (const recipient of recipients) {
      const isSelf = recipient === attester
      const posting = { addressId: recipient.id, isSelf, chainId: chain.chainId, schemaId, timestamp, id }
      deleteReceived(connection, posting)
    }
    if (valueKeys !== null) deleteValues(connection, valueKeys, timestamp, chain.chainId, id)
    countAttestation(changes, { protocol, timestamp, chainId: chain.chainId, schema, attester, recipients })
    if (revoked === 1) countRevocation(changes, protocol, -1)
    count += 1
  }
  connection.statement('DELETE FROM attestation WHERE id BETWEEN ? AND ?').run(first, last)
  connection.statement('DELETE FROM revocation_claim WHERE id BETWEEN ? AND ?').run(first, last)
  return count
}

function revertSchemas(state: WriterState, changes: Changes, toBlock: number): number {
  const { connection } = state
  const { chain } = changes
  const { first } = rowIdsAbove(0, toBlock)
  const rows = connection
    .statement<[number, number, number, string]>(
      'SELECT id, registrant_id, register_timestamp, protocol FROM schema WHERE registered = 1 AND chain_id = ? AND position >= ?',
    )
    .all(chain.chainId, first)
  for (const [id, registrantId, registerTimestamp, protocol] of rows) {
    const entry = schemaEntryById(state, id)
    schemaChanges(changes, entry)
    entry.registered = false
    clearRegistration(connection, id)
    countSchema(changes, protocol, addressEntryById(state, registrantId), registerTimestamp)
  }
  return rows.length
}

function revertLogs(state: WriterState, changes: Changes, toBlock: number): void {
  const { connection } = state
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const anchors = connection
    .statement<[string, Address | null]>('SELECT kind, account FROM anchor WHERE id BETWEEN ? AND ?')
    .all(first, last)
  for (const [kind, account] of anchors) countAnchor(changes, kind, account)
  connection.statement('DELETE FROM anchor WHERE id BETWEEN ? AND ?').run(first, last)
  const { changes: undecodable } = connection
    .statement('DELETE FROM undecodable WHERE id BETWEEN ? AND ?')
    .run(first, last)
  if (Number(undecodable) === 0) return
  changes.chain.undecodableCount -= Number(undecodable)
  changes.touched = true
}

function moveCheckpoint(state: WriterState, chain: ChainRow, toBlock: number): void {
  const { connection } = state
  connection
    .statement('DELETE FROM recent_block WHERE chain_id = ? AND number > ?')
    .run(chain.chainId, toBlock)
  const remembered = connection
    .statement<[number]>('SELECT timestamp FROM recent_block WHERE chain_id = ? AND number = ?')
    .get(chain.chainId, toBlock)
  chain.checkpointBlock = toBlock === -1 ? null : toBlock
  chain.checkpointTimestamp = remembered?.[0] ?? null
  if (chain.rewindTo !== null && toBlock <= chain.rewindTo) chain.rewindTo = null
}

function remembered<Entry>(entries: Map<number, Entry>, id: number, find: (id: number) => Entry): Entry {
  const known = entries.get(id)
  if (known !== undefined) return known
  const entry = find(id)
  entries.set(id, entry)
  return entry
}
