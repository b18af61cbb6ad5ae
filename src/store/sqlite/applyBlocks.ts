import type { DomainEvent, SchemaRegistered } from '../../model/domainEvent.ts'
import { zeroAddress } from '../../model/hex.ts'
import type { ApplySummary } from '../indexWriter.ts'
import { type Changes, addressChanges, countAnchor, countSchema, schemaChanges } from '../layout/changes.ts'
import { rowId } from '../layout/rowId.ts'
import { takenIdError } from '../layout/takenIdError.ts'
import { applyRevocation } from './revocations.ts'
import { encodeText } from './textColumn.ts'
import { writeUndecodable } from './undecodable.ts'
import { writeAttestation } from './writeAttestation.ts'
import { addressEntry, schemaEntry, type WriterState } from './writerState.ts'

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
