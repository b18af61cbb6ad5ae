import type { operations } from './openapi.d.ts'

/** Names for what the interface answers, taken from its document. */

type OperationOfData = {
  [Name in keyof operations]: operations[Name]['responses'] extends {
    200: { content: { 'application/json': { data: object } } }
  }
    ? Name
    : never
}[keyof operations]

type DataOf<Name extends OperationOfData> = operations[Name]['responses'] extends {
  200: { content: { 'application/json': { data: infer Data } } }
}
  ? Data
  : never

type RowOf<Data> = Data extends { total: number; rows: (infer Row)[] } ? Row : never

export type Chain = DataOf<'getScanChains'>['rows'][number]
export type IndexStatistics = DataOf<'getScanStats'>
export type LatestAttestation = DataOf<'getScanLatestAttestations'>['rows'][number]
export type RankedSchema = DataOf<'getScanTopSchemas'>['rows'][number]

export type Schema = DataOf<'getScanSchemasById'>
/** A row of a listing with the name of its schema. */
export type AttestationRow = Extract<RowOf<DataOf<'getScanAttestations'>>, { schema: object }>
export type Attestation = DataOf<'getScanAttestationsById'>
export type AddressAttestation = RowOf<DataOf<'getScanAddressesByAddressAttestations'>>
export type AddressActivityDay = DataOf<'getScanAddressesByAddressActivity'>['rows'][number]
export type SearchGroup = DataOf<'getScanSearch'>['queryResult'][number]
