import type { ChainId } from '../model/compositeId.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import type { FieldCondition } from '../model/fieldCondition.ts'
import type { ShownContent } from '../model/knownContent.ts'
import { matchesField, type FieldLeaf } from '../model/fieldValues.ts'
import { valueMatchKey } from '../model/keyword.ts'
import { recipientsOf } from '../model/recordJson.ts'
import type { ProtocolName } from '../model/records.ts'
import {
  namesOfRecipient,
  type AttestationFilter,
  type Change,
  type ChangePlace,
} from '../index/indexQueries.ts'
import type { IndexReader } from '../index/indexReader.ts'
import type { StoredAttestation } from '../index/storedRecords.ts'
import { leavesOf } from '../model/decodeStoredPayload.ts'

/**
 * The filter of one connection; null members do not narrow. A filter by attester, recipient or field rejects schemas;
 * one by schema, recipient or field rejects anchors, whose attester is the account that made them. A `reverted` change
 * has no payload, and passes all conditions on fields.
 */
export type ChangeFilter = Pick<
  AttestationFilter,
  'schema' | 'attester' | 'recipient' | 'chainId' | 'protocol' | 'fields'
>

/** A change of the index, or of what is known beside it. */
export type FeedChange = Change | ContentChange

/** The content behind the pointer of an attestation has become known, or another than it was. */
export interface ContentChange {
  readonly kind: 'content'
  readonly place: ChangePlace
  readonly attestation: StoredAttestation
  /** null if it names none. */
  readonly content: ShownContent | null
}

/** The parts of a change that filters compare; read once for all connections. */
export interface ChangeSubject {
  readonly chainId: ChainId
  readonly protocol: ProtocolName
  /** The schema's own, or that an attestation is made under; null for an anchor. */
  readonly schemaLocalId: string | null
  /** Lower case; null for a schema. */
  readonly attester: string | null
  /** As `valueMatchKey` has them; addresses in lower case. */
  readonly recipients: readonly string[]
  /** Whether the payload fulfils all conditions, of which there is at least one. */
  readonly fulfils: (conditions: readonly FieldCondition[]) => boolean
}

/** The subject of a change; null for a reset, which concerns every connection. */
export function subjectOf(change: FeedChange, decodePayload: DecodePayload): ChangeSubject | null {
  switch (change.kind) {
    case 'attestation':
    case 'revocation':
    case 'content':
      return attestationSubject(change.attestation, decodePayload)
    case 'schema':
      return {
        chainId: change.schema.key.chainId,
        protocol: change.schema.key.protocol,
        schemaLocalId: change.schema.key.localId,
        attester: null,
        recipients: [],
        fulfils: () => false,
      }
    case 'anchor':
    case 'revertedAnchor':
      return {
        chainId: change.anchor.place.chainId,
        protocol: change.anchor.protocol,
        schemaLocalId: null,
        attester: change.anchor.account,
        recipients: [],
        fulfils: () => false,
      }
    case 'reverted':
      return {
        chainId: Number(change.summary.chainId),
        protocol: change.protocol,
        schemaLocalId: change.summary.schemaId,
        attester: change.summary.attester?.toLowerCase() ?? null,
        recipients: (change.summary.recipients ?? []).map(valueMatchKey),
        fulfils: () => change.record !== 'schema',
      }
    case 'reset':
      return null
  }
}

export function attestationSubject(
  attestation: StoredAttestation,
  decodePayload: DecodePayload,
): ChangeSubject {
  const { key, schemaId, attester } = attestation
  return {
    chainId: key.chainId,
    protocol: key.protocol,
    schemaLocalId: schemaId,
    attester: attester.toLowerCase(),
    recipients: recipientsOf(attestation).map(valueMatchKey),
    fulfils: payloadOf(attestation, decodePayload),
  }
}

/** The filter with the schema that its id means now: the first by protocol, unless the filter names one. */
export async function resolveSchema(
  filter: ChangeFilter,
  reader: Pick<IndexReader, 'findSchema'>,
): Promise<ChangeFilter> {
  if (filter.schema === null || filter.protocol !== null) return filter
  const schema = await reader.findSchema(filter.schema)
  return schema === null ? filter : { ...filter, schema: schema.key }
}

/** @param subject null: of a reset. */
export function passesFilter(filter: ChangeFilter, subject: ChangeSubject | null): boolean {
  if (subject === null) return true
  const { schema, attester, recipient, chainId, protocol, fields } = filter
  if (protocol !== null && protocol !== subject.protocol) return false
  if (chainId !== null && chainId !== subject.chainId) return false
  if (schema !== null) {
    if (schema.chainId !== subject.chainId || schema.localId !== subject.schemaLocalId) return false
    if ((schema.protocol ?? subject.protocol) !== subject.protocol) return false
  }
  if (attester !== null && attester !== subject.attester) return false
  if (recipient !== null) {
    const names = namesOfRecipient(recipient).map(valueMatchKey)
    if (!subject.recipients.some((each) => names.includes(each))) return false
  }
  return fields.length === 0 || subject.fulfils(fields)
}

/** The payload is decoded for the first connection that asks, and once. */
function payloadOf(attestation: StoredAttestation, decodePayload: DecodePayload): ChangeSubject['fulfils'] {
  let leaves: readonly FieldLeaf[] | null = null
  return (conditions) => {
    const known = (leaves ??= leavesOf(attestation, decodePayload))
    return conditions.every((condition) => matchesField(known, condition))
  }
}
