import { validationSchemaId } from '@attestry/core/model/agents.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { decodeValidation, type ValidationResponse } from '@attestry/agents/validations.ts'
import { listedValues } from '../engine/alternatives.ts'
import { comparedValues, keyField, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { keyOf, sizeOf } from '../engine/readByIds.ts'
import { openWhole } from '../engine/rowSource.ts'
import { walkArms, type ReadArm } from '../engine/walkArms.ts'
import { recordIdOf, shortId, subjectOfId, subjectOfRecord } from './agentIds.ts'
import { agentRelation } from './agents.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { field } from './fields.ts'
import { readNotes } from './readNotes.ts'

/** A validation in a query: its request, its newest response, or both. */
export interface ValidationNode {
  readonly chainId: ChainId
  readonly requestHash: string
  readonly subject: LocalId
  readonly validator: string
  readonly requestUri: string | null
  readonly createdAt: number
  readonly response: (ValidationResponse & { readonly at: number }) | null
}

const fields: GraphNodeEntity<ValidationNode, Erc8004Context>['fields'] = {
  id: field('ID!', ({ requestHash }) => requestHash, { kind: 'hex' }),
  agent: keyField(shortId),
  validatorAddress: field('Bytes!', ({ validator }) => validator),
  requestUri: field('String', ({ requestUri }) => requestUri || null),
  requestHash: field('Bytes!', ({ requestHash }) => requestHash),
  response: field('Int', ({ response }) => response?.value ?? null),
  responseUri: field('String', ({ response }) => response?.uri || null),
  responseHash: field('Bytes', ({ response }) => response?.hash || null),
  tag: field('String', ({ response }) => response?.tag || null),
  status: field('ValidationStatus!', ({ response }) => (response === null ? 'PENDING' : 'COMPLETED')),
  createdAt: field('BigInt!', ({ createdAt }) => createdAt),
  updatedAt: field('BigInt!', ({ response, createdAt }) => response?.at ?? createdAt),
}

/** Lists read all validations of the chain, or of the agents that are asked for. */
export const validationEntity: GraphNodeEntity<ValidationNode, Erc8004Context> = {
  name: 'Validation',
  fields,
  related: { agent: 'Agent' },
  relations: { agent: agentRelation(({ subject }) => subject) },
  walkedFields: [],
  ties: 'id',
  valueOf: comparedValues(fields),
  async open(context, { condition }) {
    const agents = listedValues(condition, 'agent')
    if (agents === null) return openWhole(await readValidations(context, null))
    const nodes = await Promise.all([...agents].map((id) => readValidations(context, String(id))))
    return openWhole(nodes.flat())
  },
}

/** All validations of the chain, or of an agent by its id in the subgraph. */
async function readValidations(
  context: Erc8004Context,
  id: string | null,
): Promise<readonly ValidationNode[]> {
  const agent = id === null ? null : subjectOfId(context, id)
  if (id !== null && agent === null) return []
  const nodes = new Map<string, ValidationNode>()
  for (const note of await readNotes(context, 'validationRequest', { agent, targets: null })) {
    nodes.set(note.hash, {
      chainId: note.chainId,
      requestHash: note.hash,
      subject: note.agent,
      validator: note.account,
      requestUri: note.uri,
      createdAt: note.timestamp,
      response: null,
    })
  }
  const recordId = id === null ? null : recordIdOf(context, id)
  for await (const stored of walkResponses(context, recordId)) {
    const requestHash = String(JSON.parse(detailOf(stored.detail).indexingValueJson))
    const known = nodes.get(requestHash) ?? {
      chainId: stored.key.chainId,
      requestHash,
      subject: subjectOfRecord(stored),
      validator: stored.attester.toLowerCase(),
      requestUri: null,
      createdAt: stored.attestTimestamp,
    }
    const response = { ...decodeValidation(stored, context.decodePayload), at: stored.attestTimestamp }
    nodes.set(requestHash, { ...known, response })
  }
  return [...nodes.values()]
}

/** The responses of validators, oldest first, so that the newest one counts. */
async function* walkResponses(
  context: Erc8004Context,
  recordId: string | null,
): AsyncGenerator<StoredAttestation> {
  const { reader, budget } = context
  const recipient = recordId === null ? null : ({ kind: 'value', value: recordId } as const)
  const filter = { ...everyAttestation, schema: keyOf(context, validationSchemaId), recipient }
  const arm: ReadArm<StoredAttestation> = (order, after, limit) =>
    reader.sliceAttestations({ filter, order, after, limit }, { detail: true, schema: true })
  const walk = { order: 'oldestFirst', after: null, expected: null } as const
  for await (const rows of walkArms([arm], walk, budget, sizeOf)) yield* rows
}
