import { agentProtocol, validationSchemaId } from '@attestry/core/model/agents.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { StoredAgentNote } from './projection/agentQueries.ts'
import { everyAttestation, type Page, type PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { Shown } from '@attestry/server/records/payloadSchemas.ts'
import type { validationRow } from './agentSchemas.ts'
import type { FoundAgent } from './agentDirectory.ts'
import { payloadTexts } from './decodeFeedback.ts'

/** The answer of a validator. */
export interface ValidationResponse {
  /** From 0 to 100; null if the payload cannot be decoded. */
  readonly value: number | null
  readonly uri: string
  readonly hash: string
  readonly tag: string
}

/** Decodes the response of a validator, which was read with its detail and schema. */
export function decodeValidation(
  stored: StoredAttestation,
  decodePayload: DecodePayload,
): ValidationResponse {
  const text = payloadTexts(stored, decodePayload)
  const value = text('response')
  return {
    value: value === '' ? null : Number(value),
    uri: text('responseURI'),
    hash: text('responseHash'),
    tag: text('tag'),
  }
}

/** A request for a validation, and the newest response to it; null without a response. */
export interface Validation {
  readonly request: StoredAgentNote
  readonly response: StoredAttestation | null
}

/** A page of the validations of an agent, newest request first. */
export async function readValidationPage(
  reader: PastReader,
  { agent: { key }, id }: FoundAgent,
  page: PageRequest,
): Promise<Page<Validation>> {
  const filter = {
    kind: 'validationRequest',
    chainId: key.chainId,
    agent: key.subject,
    targets: null,
  } as const
  const { total, rows } = await reader.listAgentNotes(filter, page)
  const responses = await Promise.all(rows.map((request) => findResponse(reader, id, request)))
  return { total, rows: rows.map((request, index) => ({ request, response: responses[index] ?? null })) }
}

async function findResponse(
  reader: PastReader,
  agentId: string,
  { chainId, target }: StoredAgentNote,
): Promise<StoredAttestation | null> {
  const filter = {
    ...everyAttestation,
    schema: { chainId, protocol: agentProtocol, localId: validationSchemaId },
    recipient: { kind: 'value', value: agentId },
    indexingValue: target,
  } as const
  const request = { filter, order: 'newestFirst', after: null, limit: 1 } as const
  const { rows } = await reader.sliceAttestations(request, { detail: true, schema: true })
  return rows[0] ?? null
}

/** A row of the listing of validations. */
export function describeValidation(
  { request, response }: Validation,
  decodePayload: DecodePayload,
): Shown<typeof validationRow> {
  const said = response === null ? null : decodeValidation(response, decodePayload)
  return {
    requestHash: request.target,
    validator: checksumAddress(request.account),
    requestURI: request.uri,
    requestedTimestamp: String(request.timestamp),
    blockNumber: positionBlock(request.position as Position),
    transactionHash: request.transactionHash,
    status: response === null ? 'pending' : 'completed',
    response: said?.value ?? null,
    responseURI: said?.uri ?? '',
    responseHash: said?.hash ?? '',
    tag: said?.tag ?? '',
    respondedTimestamp: response === null ? '' : String(response.attestTimestamp),
    attestationId: response === null ? '' : formatCompositeId(response.key),
  }
}
