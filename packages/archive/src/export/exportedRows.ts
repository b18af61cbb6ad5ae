import { Type, type TProperties } from 'typebox'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { schemaMembers, parseFields } from '@attestry/core/model/recordJson.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { presentWholeAttestation } from '@attestry/server/records/presentAttestation.ts'

/** An attestation as a row of an export, with every member of the record. */
export function exportedAttestation(attestation: StoredAttestation) {
  const { key, revocable } = attestation
  const row = { ...presentWholeAttestation(attestation), protocol: key.protocol, revocable }
  return row.portal === undefined ? { ...row, portal: null } : row
}

/** Columns of the CSV: the members of the row, but for lists and objects that repeat other members. */
export const attestationColumns = [
  'id',
  'chainId',
  'protocol',
  'attestationId',
  'fullSchemaId',
  'attester',
  'attestTimestamp',
  'recipients',
  'indexingValue',
  'linkedAttestation',
  'validUntil',
  'portal',
  'revocable',
  'revoked',
  'revokeTimestamp',
  'revokeReason',
  'revokeTransactionHash',
  'data',
  'dataLocation',
  'transactionHash',
  'syncAt',
  'lastSyncAt',
] as const

/** The members of a row of an export that are its columns. */
export function cellsOf<Row extends object>(row: Row, columns: readonly (keyof Row)[]): readonly unknown[] {
  return columns.map((column) => row[column])
}

/** A schema as a row of an export, with every member of the record. */
export function exportedSchema(schema: StoredSchema) {
  const { revocable, maxValidFor, attestationCount, attesterCount, context } = schema
  return {
    ...schemaMembers(schema),
    protocol: schema.key.protocol,
    registerTimestamp: String(schema.registerTimestamp),
    revocable,
    maxValidFor,
    resolver: checksumAddress(schema.resolver),
    attestationCount,
    attesterCount,
    data: parseFields(schema.fieldsJson),
    originalData: schema.rawText,
    context,
    syncAt: String(schema.syncAt),
  }
}

export const schemaColumns = [
  'id',
  'chainId',
  'protocol',
  'schemaId',
  'name',
  'description',
  'registrant',
  'registerTimestamp',
  'revocable',
  'maxValidFor',
  'resolver',
  'attestationCount',
  'attesterCount',
  'data',
  'originalData',
  'context',
  'transactionHash',
  'syncAt',
] as const

/** The description of a file in the OpenAPI document: its columns, or the members of the object on each line. */
export function describeColumns(columns: readonly string[], isJson: boolean) {
  const members: TProperties = Object.fromEntries(columns.map((name) => [name, Type.Unknown()]))
  return isJson
    ? { schema: Type.Object(members), example: Object.fromEntries(columns.map((name) => [name, ''])) }
    : { schema: Type.String(), example: `${columns.join(',')}\r\n` }
}
