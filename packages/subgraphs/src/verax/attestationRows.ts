import { parseCompositeId } from '@attestry/core/model/compositeId.ts'
import { noBytes, zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import type { PayloadValue } from '@attestry/core/model/decodedPayload.ts'
import { detailOf, recipientsOf } from '@attestry/core/model/recordJson.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'
import type {
  AttestationOrigin,
  StoredAttestation,
  StoredSchema,
} from '@attestry/core/index/storedRecords.ts'
import type { FieldValue } from '../engine/condition.ts'
import { createValues } from '../engine/fieldValues.ts'
import { portalValue, type PortalNode } from './registrations.ts'
import { sortableUint64 } from './readWhere.ts'
import { schemaValue } from './schemas.ts'
import type { VeraxContext } from './veraxContext.ts'

/** An attestation of the index, for an interface in the form of Verax's subgraph. */
export interface AttestationRow {
  readonly stored: StoredAttestation
  /** undefined where it was not asked for; null where the schema is not indexed. */
  schema?: StoredSchema | null
  /** undefined where it was not asked for; null where the attestation is no longer indexed. */
  origin?: AttestationOrigin | null
  /** undefined where it was not asked for; aliases of one field ask for it again. */
  decoded?: Promise<readonly string[] | null>
}

/** The fields whose values are made of the origin. */
const originFields: readonly string[] = ['version', 'encodedSubject']

export function needsOrigin(fields: readonly string[]): boolean {
  return fields.some((field) => originFields.includes(field))
}

/** The portal of an attestation in a query. */
export function portalNode({ stored }: AttestationRow): PortalNode {
  return { address: stored.portal ?? zeroAddress, portalBody: stored.portalBody }
}

/** The value of a field, whose origin is read where it is needed. */
export async function readAttestationValue(
  { origins }: VeraxContext,
  row: AttestationRow,
  field: string,
): Promise<FieldValue> {
  if (row.origin === undefined && needsOrigin([field]))
    row.origin = await origins.load(row.stored.key.localId)
  return attestationValue(row, field)
}

export function expirationOf({ stored }: AttestationRow): string {
  return detailOf(stored.detail).validUntil
}

/** The value of a field that filters and orders take; those that are not known are empty. */
export const attestationValue = createValues<AttestationRow>(
  {
    id: ({ stored }) => stored.key.localId,
    schema: ({ stored }) => stored.schemaId,
    replacedBy: ({ stored }) => replacedBy(stored),
    attester: ({ stored }) => stored.attester.toLowerCase(),
    portal: ({ stored }) => stored.portal ?? zeroAddress,
    attestedDate: ({ stored }) => stored.attestTimestamp,
    expirationDate: (row) => sortableUint64(expirationOf(row)),
    revocationDate: ({ stored }) => Number(stored.revocation?.timestamp ?? 0),
    revoked: ({ stored }) => stored.revocation !== null,
    subject: ({ stored }) => subjectOf(stored),
    attestationData: ({ stored }) => detailOf(stored.detail).data,
    version: ({ origin }) => origin?.contractVersion ?? 0,
    encodedSubject: ({ stored, origin }) => origin?.subject ?? subjectOf(stored),
  },
  (row, field) => {
    const [relation, own = ''] = field.split('.')
    if (relation === 'schema') return row.schema == null ? '' : schemaValue(row.schema, own)
    return relation === 'portal' ? portalValue(portalNode(row), own) : null
  },
)

/** The reason of a replacement is made by the adapter; revocations on Verax have no reason of their own. */
function replacedBy({ revocation }: StoredAttestation): string {
  const [, id = ''] = /^replaced by (\S+)$/.exec(revocation?.reason ?? '') ?? []
  const parsed = parseCompositeId(id)
  return parsed.kind === 'record' ? parsed.key.localId : zeroHash
}

/** An address or other bytes as they are, the bytes of a text; no bytes where there is no subject. */
function subjectOf(stored: StoredAttestation): string {
  const [recipient] = recipientsOf(stored)
  if (recipient === undefined) return noBytes
  if (/^0x(?:[0-9a-f]{2})+$/i.test(recipient)) return recipient.toLowerCase()
  return `0x${Buffer.from(recipient, 'utf8').toString('hex')}`
}

/** The values of the payload as the subgraph prints them; null where the schema does not decode the payload. */
export function decodedDataOf(context: VeraxContext, row: AttestationRow): Promise<readonly string[] | null> {
  return (row.decoded ??= decodeRow(context, row))
}

async function decodeRow(context: VeraxContext, row: AttestationRow): Promise<readonly string[] | null> {
  row.schema ??= await context.schemas.load(row.stored.schemaId)
  await context.budget.pause()
  return row.schema && decodeTexts(context, row.stored, row.schema)
}

function decodeTexts(
  { decodePayload, protocol, budget }: VeraxContext,
  { detail }: StoredAttestation,
  { fieldsJson }: StoredSchema,
): readonly string[] | null {
  const decoded = decodePayload({
    protocol: protocol.name,
    // The store made the text of such fields.
    fields: JSON.parse(fieldsJson) as readonly SchemaField[],
    data: detailOf(detail).data,
    dataLocation: 'ONCHAIN',
  })
  if (decoded.kind === 'undecodable') return null
  const texts = decoded.values.map(({ type, value }) => printValue(type, value))
  budget.write(texts.reduce((sum, text) => sum + text.length, 0))
  return texts
}

/** Integers in hexadecimal, addresses in lower case, the elements of lists and tuples joined by commas. */
function printValue(type: string, value: PayloadValue): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') {
    return value
      .map((part) =>
        typeof part === 'object' && 'value' in part
          ? printValue(part.type, part.value)
          : printValue(type, part),
      )
      .join(',')
  }
  if (/^u?int/.test(type)) {
    const integer = BigInt(value)
    return integer < 0n ? `-0x${(-integer).toString(16)}` : `0x${integer.toString(16)}`
  }
  return type.startsWith('address') ? value.toLowerCase() : value
}
