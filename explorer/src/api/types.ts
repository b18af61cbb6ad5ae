import type { DataOf, PostedDataOf } from '@attestry/client/paths.ts'

/** Names for the answers of the interface, taken from its OpenAPI document. */

type RowOf<Data> = Data extends { total: number; rows: (infer Row)[] } ? Row : never

export type Chain = DataOf<'/scan/chains'>['rows'][number]
export type IndexStatistics = DataOf<'/scan/stats'>
export type LatestAttestation = DataOf<'/scan/latest-attestations'>['rows'][number]
export type RankedSchema = DataOf<'/scan/top-schemas'>['rows'][number]

export type Schema = DataOf<'/scan/schemas/{id}'>
/** A row of a listing with the name of its schema. */
export type AttestationRow = Extract<RowOf<DataOf<'/scan/attestations'>>, { schema: object }>
export type Attestation = DataOf<'/scan/attestations/{id}'>
export type Transaction = DataOf<'/scan/transactions/{hash}'>
export type Agent = DataOf<'/scan/agents/{id}'>
export type AgentRow = RowOf<DataOf<'/scan/agents'>>
export type AgentFeedback = RowOf<DataOf<'/scan/agents/{id}/feedback'>>
export type AgentResponse = RowOf<DataOf<'/scan/agents/{id}/responses'>>
export type AgentValidation = RowOf<DataOf<'/scan/agents/{id}/validations'>>
export type AgentReputation = DataOf<'/scan/agents/{id}/reputation'>
export type AgentChange = RowOf<DataOf<'/scan/agents/{id}/history'>>
export type OnchainAttestation = Extract<Attestation, { mode: 'onchain' }>
export type AddressActivityDay = DataOf<'/scan/addresses/{address}/activity'>['rows'][number]
export type SearchGroup = DataOf<'/scan/search'>['queryResult'][number]
export type VerifiedOffchain = PostedDataOf<'/scan/offchain/verify'>
export type Policies = DataOf<'/scan/policies'>
export type GateVerdict = PostedDataOf<'/scan/gate'>
export type GateTerm = NonNullable<GateVerdict['rows'][number]['terms']>[number]
