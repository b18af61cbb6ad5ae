import type { DomainEvent, SchemaRegistered } from '../../model/domainEvent.ts'
import { zeroAddress } from '../../model/hex.ts'
import { checkBatch } from '../checkBatch.ts'
import type { ApplySummary, BlockBatch } from '../indexWriter.ts'
import {
  type Changes,
  addressChanges,
  countAnchor,
  countSchema,
  createChanges,
  schemaChanges,
} from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { rowId } from '../layout/rowId.ts'
import { takenIdError } from '../layout/takenIdError.ts'
import { journalBlocks, journalClaims } from './changeJournal.ts'
import { applyRevocation, settleClaims } from './revocations.ts'
import { updateNames } from './schemaNames.ts'
import { encodeText } from './textColumn.ts'
import { writeUndecodable } from './undecodable.ts'
import { writeAttestation } from './writeAttestation.ts'
import { writeChanges } from './writeChanges.ts'
import { writeProtocolCounts } from './writeProtocolCounts.ts'
import { addressEntry, schemaEntry, type WriterState } from './writerState.ts'

/**
 * Applies a batch within the running transaction: rows first, event by event, then counters and trees, then what depends
 * on the whole state (claims, names). `chain` becomes the chain's row as it shall be written. Answers too whether any answer
 * may have changed.
 */
export function applyBlocks(
  state: WriterState,
  chain: ChainRow,
  batch: BlockBatch,
): { readonly summary: ApplySummary; readonly touched: boolean } {
  checkBatch(chain, batch)
  const changes = createChanges(1, chain, batch.storedAt)
  const summary = emptySummary()
  for (const event of batch.events) applyEvent(state, changes, summary, event)
  writeChanges(state, changes)
  chain.checkpointBlock = batch.checkpoint.blockNumber
  chain.checkpointTimestamp = batch.checkpoint.timestamp
  settleClaims(state.connection, changes)
  updateNames(state.connection, changes)
  writeProtocolCounts(state.connection, changes)
  rememberBlocks(state, chain, batch)
  journalBlocks(state.connection, chain, batch, summary)
  journalClaims(state.connection, changes)
  return { summary, touched: changes.touched }
}

type MutableSummary = { -readonly [Key in keyof ApplySummary]: number }

export function emptySummary(): MutableSummary {
  return { schemas: 0, attestations: 0, revocations: 0, anchors: 0, undecodable: 0 }
}

/** Writes the rows of one event, and notes in `changes` what they move. */
export function applyEvent(
  state: WriterState,
  changes: Changes,
  summary: MutableSummary,
  event: DomainEvent,
): void {
  const { connection } = state
  switch (event.kind) {
    case 'schemaRegistered':
      applyRegistration(state, changes, event)
      summary.schemas += 1
      return
    case 'attestationMade':
      writeAttestation(state, changes, event.attestation)
      summary.attestations += 1
      return
    case 'attestationRevoked':
      if (applyRevocation(connection, changes, event)) summary.revocations += 1
      else summary.undecodable += 1
      return
    case 'schemaNamed':
      connection
        .statement('INSERT INTO schema_name (id, schema_local_id, name) VALUES (?, ?, ?)')
        .run(
          rowId(changes.chain.ordinal, event.position),
          event.schemaLocalId.slice(2),
          encodeText(event.name),
        )
      changes.renamed.add(event.schemaLocalId)
      return
    case 'anchorMade':
      connection
        .statement('INSERT INTO anchor (id, protocol, kind, account) VALUES (?, ?, ?, ?)')
        .run(rowId(changes.chain.ordinal, event.position), event.protocol, event.anchor, event.account)
      countAnchor(changes, event.anchor, event.account)
      summary.anchors += 1
      return
    case 'undecodableLog':
      writeUndecodable(connection, changes, event)
      summary.undecodable += 1
  }
}

function applyRegistration(state: WriterState, changes: Changes, event: SchemaRegistered): void {
  const { schema } = event
  const entry = schemaEntry(state, changes.chain.chainId, schema.key.localId)
  if (entry.registered) throw takenIdError('schema', schema.key.localId)
  entry.registered = true
  schemaChanges(changes, entry).registration = { event, syncAt: changes.storedAt }
  countSchema(changes, schema.protocol, addressEntry(state, schema.registrant), schema.registerTimestamp)
  if (schema.resolver !== zeroAddress) addressChanges(changes, addressEntry(state, schema.resolver))
  changes.renamed.add(schema.key.localId)
}

function rememberBlocks(state: WriterState, chain: ChainRow, batch: BlockBatch): void {
  const insert = state.connection.statement(
    'INSERT OR REPLACE INTO recent_block (chain_id, number, hash, parent_hash, timestamp) VALUES (?, ?, ?, ?, ?)',
  )
  for (const block of batch.recentBlocks) {
    insert.run(chain.chainId, block.number, block.hash, block.parentHash, block.timestamp)
  }
  state.connection
    .statement('DELETE FROM recent_block WHERE chain_id = ? AND number < ?')
    .run(chain.chainId, batch.forgetBlocksBelow)
}
