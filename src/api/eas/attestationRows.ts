import { type Hex, zeroAddress, zeroHash } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import type {
  AttestationFields,
  RowPlace,
  StoredAttestation,
  StoredSchema,
} from '../../store/storedRecords.ts'
import { plainMember } from '../graphql/fields/readMember.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
import {
  attesterOf,
  dataOf,
  recipientsOf,
  schemaIdOf,
  schemaIdOfRow,
  timeOf,
  validUntilOf,
} from '../protocolGraphql/storedMembers.ts'
import { formatOf, type EasContext } from './easContext.ts'
import { schemaValue } from './schemaRows.ts'

/** An attestation of the index in the form of easscan. */
export interface AttestationRow {
  readonly stored: StoredAttestation
  readonly place: RowPlace
  /** undefined where it was not asked for; null where the schema is not indexed. */
  schema?: StoredSchema | null
  /** `decodedDataJson`, once it was made. */
  decoded?: string
}

const linkedOf = plainMember('linkedAttestation')
const transactionHashOf = plainMember('transactionHash')

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
  const { summaryJson, detailJson, revocation } = stored
  switch (field) {
    case 'id':
      return stored.key.localId
    case 'data':
      return dataOf(detailJson)
    case 'decodedDataJson':
      return (row.decoded ??= decodedDataJson(context, row))
    case 'recipient':
      return recipientOf(summaryJson)
    case 'attester':
      return attesterOf(summaryJson)
    case 'time':
    case 'timeCreated':
      return timeOf(row.stored)
    case 'expirationTime':
      return clampTime(validUntilOf(detailJson))
    case 'revocationTime':
      return revocation === null ? 0 : clampTime(revocation.timestamp)
    case 'refUID': {
      const linked = linkedOf(detailJson)
      return linked === '' ? zeroHash : linked.slice(linked.lastIndexOf('_') + 1)
    }
    case 'revocable':
      return stored.revocable ?? row.schema?.revocable ?? false
    case 'revoked':
      return revocation !== null
    case 'txid':
      return transactionHashOf(detailJson)
    case 'schemaId':
      return schemaIdOf(summaryJson)
    case 'ipfsHash':
      return ''
    case 'isOffchain':
      return false
    default:
      if (field.startsWith('schema.') && row.schema !== undefined) {
        return row.schema === null ? '' : schemaValue(row.schema, field.slice('schema.'.length), '')
      }
      throw new TypeError(`an attestation has no field ${field}`)
  }
}

function recipientOf(summaryJson: JsonFragment): string {
  const recipients = recipientsOf(summaryJson)
  return recipients === '[]' ? zeroAddress : recipients.slice(2, -2)
}

function clampTime(digits: string): number {
  return Math.min(Number(digits), intMax)
}

function decodedDataJson(context: EasContext, row: AttestationRow): string {
  if (row.schema == null) return ''
  const text = formatOf(context, schemaIdOfRow(row), row.schema)(dataOf(row.stored.detailJson) as Hex)
  context.budget.write(text.length)
  return text
}
