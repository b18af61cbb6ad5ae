import { checksumAddress } from './checksumAddress.ts'
import { formatCompositeId } from './compositeId.ts'
import type { Attestation, Recipient, Schema } from './records.ts'

/**
 * The JSON of records in fragments, the members of a JSON object without its braces; an answer joins fragments.
 * Fragments hold only members that never change while the record stands; revocation and counts are joined to them.
 * Schemas are stored as fragments; the stores render an attestation's row (`store/port/attestationJson.ts`,
 * docs/adr/0016).
 */

declare const brand: unique symbol

/** Members of a JSON object, without the braces: `"id":"…","mode":"onchain"`. */
export type JsonFragment = string & { readonly [brand]: 'jsonFragment' }

/** A recipient in answers: a checksummed address, the text verbatim, or raw hexadecimal. */
export function formatRecipient(recipient: Recipient): string {
  switch (recipient.kind) {
    case 'address':
      return checksumAddress(recipient.address)
    case 'text':
      return recipient.text
    case 'bytes':
      return recipient.bytes
  }
}

/**
 * The members that every row of an attestation listing has (docs/api.md, "Members"): id, mode, chainType, chainId,
 * attestationId, schemaId, attester, attestTimestamp, recipients.
 */
export function attestationSummaryJson(attestation: Attestation): JsonFragment {
  const { key } = attestation
  return (`"id":"${formatCompositeId(key)}","mode":"onchain","chainType":"evm","chainId":"${key.chainId}",` +
    `"attestationId":"${key.localId}","schemaId":"${attestation.schemaLocalId}",` +
    `"attester":"${checksumAddress(attestation.attester)}",` +
    `"attestTimestamp":"${attestation.attestTimestamp}",` +
    `"recipients":${recipientsJson(attestation)}`) as JsonFragment
}

/** The recipients as a JSON array of strings. */
export function recipientsJson({ recipients }: Attestation): string {
  return JSON.stringify(recipients.map(formatRecipient))
}

/**
 * The members that a single attestation has beside the summary and never change: transactionHash, indexingValue,
 * fullSchemaId, linkedAttestation, validUntil, data, dataLocation.
 */
export function attestationDetailJson(attestation: Attestation): JsonFragment {
  const { chainId } = attestation.key
  const linked =
    attestation.linkedAttestation === null
      ? ''
      : formatCompositeId({ chainId, localId: attestation.linkedAttestation })
  return (`"transactionHash":"${attestation.transactionHash}",` +
    `"indexingValue":${JSON.stringify(attestation.indexingValue)},` +
    `"fullSchemaId":"${formatCompositeId({ chainId, localId: attestation.schemaLocalId })}",` +
    `"linkedAttestation":"${linked}","validUntil":"${attestation.validUntil}",` +
    `"data":"${attestation.data}","dataLocation":"${attestation.dataLocation}"`) as JsonFragment
}

/**
 * The members that schema listings share (docs/api.md, "Members"): id, mode, name, description, registrant, chainType,
 * chainId, schemaId, transactionHash. `name` is separate because an EAS schema is named by a later attestation.
 */
export function schemaSummaryJson(schema: Schema, name: string): JsonFragment {
  const { key } = schema
  return (`"id":"${formatCompositeId(key)}","mode":"onchain","name":${JSON.stringify(name)},` +
    `"description":${JSON.stringify(schema.definition.description)},` +
    `"registrant":"${checksumAddress(schema.registrant)}","chainType":"evm","chainId":"${key.chainId}",` +
    `"schemaId":"${key.localId}","transactionHash":"${schema.transactionHash}"`) as JsonFragment
}

/** The field definitions of a schema as a JSON array of `{name, type}`. */
export function schemaFieldsJson(schema: Schema): string {
  return JSON.stringify(schema.definition.fields.map(({ name, type }) => ({ name, type })))
}
