import { toldRecipients } from '@attestry/core/model/toldRecipients.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { formatCompositeId, type ChainId } from '@attestry/core/model/compositeId.ts'
import { positionBlock, positionIndex } from '@attestry/core/model/position.ts'
import { formatRecipient } from '@attestry/core/model/recordJson.ts'

/**
 * The compared facts of an event, by name, as text. Facts that depend on the time of reading are left out: the claim of
 * a revocation, and the reason of an undecodable log, whose wording may change.
 */
export function fieldsOfEvent(event: DomainEvent): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(plainFields(event)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}

function plainFields(event: DomainEvent): Record<string, unknown> {
  switch (event.kind) {
    case 'schemaRegistered': {
      const { key, position: _, definition, maxValidFor, ...rest } = event.schema
      return {
        kind: event.kind,
        schemaId: key.localId,
        ...rest,
        maxValidFor: String(maxValidFor),
        name: definition.name,
        description: definition.description,
        data: definition.fields.map(({ name, type }) => ({ name, type })),
        payloadData: (definition.payloadFields ?? definition.fields).map(({ name, type }) => ({
          name,
          type,
        })),
      }
    }
    case 'attestationMade': {
      const {
        key,
        position: _,
        recipients: ___,
        validUntil,
        revocationAtRead: __,
        ...rest
      } = event.attestation
      return {
        kind: event.kind,
        attestationId: key.localId,
        ...rest,
        recipients: toldRecipients(event.attestation).map(formatRecipient),
        validUntil: String(validUntil),
      }
    }
    case 'attestationRevoked':
      return {
        kind: event.kind,
        attestationId: event.localId,
        revokeReason: event.reason,
        revokeTimestamp: String(event.timestamp),
        transactionHash: event.transactionHash,
      }
    case 'schemaNamed':
      return { kind: event.kind, schemaId: event.schemaLocalId, name: event.name }
    case 'metadataSet':
    case 'anchorMade': {
      const { position: _, ...rest } = event
      return rest
    }
    case 'undecodableLog': {
      const { protocol, contract, topics, data, transactionHash } = event
      return { kind: event.kind, protocol, contract, topics, data, transactionHash }
    }
  }
}

/** The subject of an event, as differences name it. */
export function subjectOfEvent(chainId: ChainId, event: DomainEvent): string {
  switch (event.kind) {
    case 'schemaRegistered':
      return formatCompositeId(event.schema.key)
    case 'attestationMade':
      return formatCompositeId(event.attestation.key)
    case 'attestationRevoked':
      return `revocation of ${formatCompositeId({ chainId, localId: event.localId })}`
    case 'schemaNamed':
      return `name of ${formatCompositeId({ chainId, localId: event.schemaLocalId })}`
    case 'metadataSet':
      return `${event.of} of ${event.subject} on chain ${chainId}`
    case 'anchorMade':
      return `${event.anchor} ${placeOf(event)}`
    case 'undecodableLog':
      return `undecodable log ${placeOf(event)}`
  }
}

function placeOf({ position }: DomainEvent): string {
  return `${positionBlock(position)}:${positionIndex(position)}`
}
