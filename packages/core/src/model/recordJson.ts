import { checksumAddress } from './checksumAddress.ts'
import { formatCompositeId, type LocalId, type RecordKey } from './compositeId.ts'
import type { Address, Hex } from './hex.ts'
import { rememberRecent } from './recentMap.ts'
import type { DataLocation, Recipient, SchemaField } from './records.ts'

/**
 * The members of records that the forms of a record in answers and exports share, in their order. Members of stored
 * records that end with `Json` are JSON text.
 */

/** The members of every row of an attestation listing. */
export interface AttestationSummary {
  readonly key: RecordKey
  /** Local id of the schema, on the same chain. */
  readonly schemaId: LocalId
  /** With the checksum of ERC-55. */
  readonly attester: string
  readonly attestTimestamp: number
  /** `recipientsJson` of the record. */
  readonly recipientsJson: string
}

/** The further members of a single attestation, which never change. */
export interface AttestationDetail {
  readonly transactionHash: string
  /** A JSON string. */
  readonly indexingValueJson: string
  readonly linkedAttestation: LocalId | null
  /** Unix seconds as decimal digits of a uint64, `0` without expiry. */
  readonly validUntil: string
  readonly data: Hex
  readonly dataLocation: DataLocation
}

/** The recipients of a record, as answers have them. */
export function recipientsOf({ recipientsJson: text }: Pick<AttestationSummary, 'recipientsJson'>): string[] {
  // `recipientsJson` made the text.
  return JSON.parse(text) as string[]
}

/** The indexing value of a record. */
export function indexingValueOf({ indexingValueJson }: Pick<AttestationDetail, 'indexingValueJson'>): string {
  return JSON.parse(indexingValueJson) as string
}

/** The detail of an attestation that was read with it. */
export function detailOf<Detail>(detail: Detail | null): Detail {
  if (detail === null) throw new TypeError('an attestation was read without its detail')
  return detail
}

/** The members that all schema listings share. */
export interface SchemaSummary {
  readonly key: RecordKey
  /** The name that counts now: an EAS schema is named by a later attestation. */
  readonly name: string
  readonly description: string
  readonly registrant: Address
  readonly transactionHash: string
}

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

/** The recipients as a JSON array of strings. */
export function recipientsJson(recipients: readonly Recipient[]): string {
  return JSON.stringify(recipients.map(formatRecipient))
}

/** The members that every row of an attestation listing has (docs/api.md, "Members"). */
export function attestationMembers(attestation: AttestationSummary) {
  const { key, schemaId, attester, attestTimestamp } = attestation
  return {
    id: formatCompositeId(key),
    mode: 'onchain',
    chainType: 'evm',
    chainId: String(key.chainId),
    attestationId: key.localId,
    schemaId,
    attester,
    attestTimestamp: String(attestTimestamp),
    recipients: recipientsOf(attestation),
  } as const
}

/** The members of a single attestation that never change. */
export function attestationDetailMembers(
  { key: { chainId }, schemaId }: Pick<AttestationSummary, 'key' | 'schemaId'>,
  detail: AttestationDetail,
) {
  const { transactionHash, linkedAttestation, validUntil, data, dataLocation } = detail
  return {
    transactionHash,
    indexingValue: indexingValueOf(detail),
    fullSchemaId: formatCompositeId({ chainId, localId: schemaId }),
    linkedAttestation:
      linkedAttestation === null ? '' : formatCompositeId({ chainId, localId: linkedAttestation }),
    validUntil,
    data,
    dataLocation,
  }
}

/** The members that all forms of a schema have. */
export function schemaMembers({ key, name, description, registrant, transactionHash }: SchemaSummary) {
  return {
    id: formatCompositeId(key),
    mode: 'onchain',
    name,
    description,
    registrant: checksumAddress(registrant),
    chainType: 'evm',
    chainId: String(key.chainId),
    schemaId: key.localId,
    transactionHash,
  } as const
}

/** The fields of a schema as a JSON array of `{name, type}`. */
export function schemaFieldsJson(fields: readonly SchemaField[]): string {
  return JSON.stringify(fields.map(({ name, type }) => ({ name, type })))
}

/** Fields that are cached as objects, of texts up to `shortLengthMax`: 4 MB at most. */
const fieldsKept = 1_000
const shortLengthMax = 1_024

const parseShort = rememberRecent(fieldsKept, parse)

/** Reads what `schemaFieldsJson` made. Shared, since most rows of a page are of few schemas. */
export function parseFields(text: string): readonly SchemaField[] {
  return text.length > shortLengthMax ? parse(text) : parseShort(text)
}

function parse(text: string): readonly SchemaField[] {
  return JSON.parse(text) as readonly SchemaField[]
}
