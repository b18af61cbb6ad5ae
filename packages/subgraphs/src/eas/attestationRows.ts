import { zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type {
  AttestationFields,
  RowPlace,
  StoredAttestation,
  StoredSchema,
} from '@attestry/core/index/storedRecords.ts'
import type { StoredOffchain } from '@attestry/trust/offchainStore/offchainStore.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
import { formatOf, type EasContext } from './easContext.ts'
import { schemaValue } from './schemaRows.ts'

/** An attestation of the index in the form of easscan. */
export interface AttestationRow {
  readonly stored: StoredAttestation
  readonly place: RowPlace
  /** The entry of the store of off-chain attestations that the row is of. */
  readonly offchain?: StoredOffchain
  /** undefined where it was not asked for; null where the schema is not indexed. */
  schema?: StoredSchema | null
  /** `decodedDataJson`, once it was made. */
  decoded?: string
}

/** The largest 32-bit integer, to which later times are clamped. */
const intMax = 2 ** 31 - 1

/** The fields that need more than a summary, and those that need the schema. */
const detailFields: ReadonlySet<string> = new Set([
  'data',
  'decodedDataJson',
  'expirationTime',
  'refUID',
  'txid',
])

export function attestationFields(fields: Iterable<string>): AttestationFields {
  return { detail: [...fields].some((field) => detailFields.has(field)), schema: false }
}

/** Whether the value of a field is made of the schema. A field of the schema itself is named `schema.<field>`. */
export function needsSchema(fields: Iterable<string>): boolean {
  return [...fields].some(
    (field) => field === 'decodedDataJson' || field === 'revocable' || field.startsWith('schema.'),
  )
}

/** The value of a scalar field, as it is answered. */
export function attestationValue(context: EasContext, row: AttestationRow, field: string): FieldValue {
  const { stored } = row
  const { revocation } = stored
  switch (field) {
    case 'id':
      return stored.key.localId
    case 'data':
      return detailOf(stored.detail).data
    case 'decodedDataJson':
      return (row.decoded ??= decodedDataJson(context, row))
    case 'recipient':
      return recipientOf(stored)
    case 'attester':
      return stored.attester
    case 'time':
    case 'timeCreated':
      return stored.attestTimestamp
    case 'expirationTime':
      return clampTime(detailOf(stored.detail).validUntil)
    case 'revocationTime':
      return revocation === null ? 0 : clampTime(revocation.timestamp)
    case 'refUID':
      return detailOf(stored.detail).linkedAttestation ?? zeroHash
    case 'revocable':
      return stored.revocable ?? row.schema?.revocable ?? false
    case 'revoked':
      return revocation !== null
    case 'txid':
      return detailOf(stored.detail).transactionHash
    case 'schemaId':
      return stored.schemaId
    case 'ipfsHash':
      return row.offchain?.contentId ?? ''
    case 'isOffchain':
      return row.offchain !== undefined
    default:
      if (field.startsWith('schema.') && row.schema !== undefined) {
        return row.schema === null ? '' : schemaValue(row.schema, field.slice('schema.'.length), '')
      }
      throw new TypeError(`an attestation has no field ${field}`)
  }
}

/** Recipients on EAS are one address, or none. */
function recipientOf({ recipientsJson }: StoredAttestation): string {
  return recipientsJson === '[]' ? zeroAddress : recipientsJson.slice(2, -2)
}

function clampTime(digits: string): number {
  return Math.min(Number(digits), intMax)
}

function decodedDataJson(context: EasContext, row: AttestationRow): string {
  if (row.schema == null) return ''
  const text = formatOf(context, row.stored.schemaId, row.schema)(detailOf(row.stored.detail).data)
  context.budget.write(text.length)
  return text
}
