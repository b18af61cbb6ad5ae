import { Type, type TProperties } from 'typebox'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { schemaSummaryJson } from '@attestry/core/model/recordJson.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { presentWholeAttestation, withMembers } from '@attestry/server/records/presentAttestation.ts'

/** An attestation as a row of an export: JSON text with every member of the record. */
export function exportedAttestation(attestation: StoredAttestation): string {
  const { key, revocable, portal } = attestation
  return withMembers(
    presentWholeAttestation(attestation),
    `"protocol":${JSON.stringify(key.protocol)},"revocable":${revocable}${portal === null ? ',"portal":null' : ''}`,
  )
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
export function cellsOf(rowJson: string, columns: readonly string[]): readonly unknown[] {
  // The text is JSON of an object that was made here.
  const members = JSON.parse(rowJson) as Readonly<Record<string, unknown>>
  return columns.map((column) => members[column])
}

/** A schema as a row of an export: JSON text with every member of the record. */
export function exportedSchema(schema: StoredSchema): string {
  return (
    `{${schemaSummaryJson(schema)},"protocol":${JSON.stringify(schema.key.protocol)},"registerTimestamp":"${schema.registerTimestamp}",` +
    `"revocable":${schema.revocable},"maxValidFor":"${schema.maxValidFor}",` +
    `"resolver":"${checksumAddress(schema.resolver)}","attestationCount":${schema.attestationCount},` +
    `"attesterCount":${schema.attesterCount},"data":${schema.fieldsJson},` +
    `"originalData":${JSON.stringify(schema.rawText)},"context":${JSON.stringify(schema.context)},"syncAt":"${schema.syncAt}"}`
  )
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
