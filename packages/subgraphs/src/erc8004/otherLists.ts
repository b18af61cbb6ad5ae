import { sliceMax, walkSlices } from '@attestry/server/records/slices.ts'
import { validationSchemaId } from '@attestry/core/model/agents.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import { positionIndex, type Position } from '@attestry/core/model/position.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type {
  AgentNoteKind,
  StoredAgentMetadata,
  StoredAgentNote,
} from '@attestry/core/index/agentQueries.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { decodeValidation, type ValidationResponse } from '@attestry/agents/validations.ts'
import { boundsOf, listAlternatives } from '../engine/alternatives.ts'
import type { Condition, FieldValue } from '../engine/condition.ts'
import { createValues } from '../engine/fieldValues.ts'
import { loadAll, readAttestations, sizeOf } from '../engine/readByIds.ts'
import { recordIdOf, shortId, subjectOfId, subjectOfRecord } from './agentIds.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { localIdOf } from './feedbackLists.ts'
import { feedbackNode, feedbackValue } from './feedbackRows.ts'
import { selectRows, type ListArguments } from '../engine/graphNode/listArguments.ts'
import { nullValue } from './readWhere.ts'
import { agentRelation, createRelatedValues, type RelatedValues, type Relation } from './relations.ts'

/** The lists that are read whole, within the budget of a request: responses, validations, metadata. */

/** The values of a field that every row that matches has one of; null where the condition does not say. */
function valuesOf(condition: Condition, field: string): readonly string[] | null {
  const values = new Set<FieldValue>()
  for (const { tests } of listAlternatives(condition)) {
    const bounds = boundsOf(tests, [field]).values
    if (bounds === null) return null
    for (const value of bounds) values.add(value)
  }
  return [...values].map(String)
}

/** All notes of a kind, of the whole chain, of an agent, or with these targets. */
async function readNotes(
  context: Erc8004Context,
  kind: AgentNoteKind,
  narrowed: { readonly agent: LocalId | null; readonly targets: readonly LocalId[] | null },
): Promise<readonly StoredAgentNote[]> {
  const { reader, chain, budget } = context
  const notes: StoredAgentNote[] = []
  for (let page = 1; ; page++) {
    const filter = { kind, chainId: chain.chainId, ...narrowed }
    const { rows } = await reader.listAgentNotes(filter, { page, size: sliceMax })
    await budget.readRows(rows, ({ uri }) => 400 + uri.length)
    notes.push(...rows)
    if (rows.length < sliceMax) return notes
  }
}

/** The responses of a list. */
export async function listResponses(
  context: Erc8004Context,
  list: ListArguments,
): Promise<readonly StoredAgentNote[]> {
  const feedback = valuesOf(list.condition, 'feedback') ?? valuesOf(list.condition, 'feedback.id')
  const targets = feedback?.flatMap((id) => localIdOf(context, id) ?? []) ?? null
  const notes: StoredAgentNote[] = []
  if (targets === null)
    notes.push(...(await readNotes(context, 'feedbackResponse', { agent: null, targets })))
  for (let from = 0; targets !== null && from < targets.length; from += sliceMax) {
    const some = targets.slice(from, from + sliceMax)
    notes.push(...(await readNotes(context, 'feedbackResponse', { agent: null, targets: some })))
  }
  return await selectResponses(context, notes, list)
}

/** The responses of a list, of those that were read. */
export function selectResponses(
  context: Erc8004Context,
  notes: readonly StoredAgentNote[],
  list: ListArguments,
): Promise<readonly StoredAgentNote[]> {
  const feedback: Relation<StoredAgentNote> = {
    load: async (rows) => {
      const targets = rows.map(({ target }) => target)
      const found = await readAttestations(context, [...new Set(targets)], { detail: true, schema: true })
      const agents = await loadAll(context.agents, found.map(subjectOfRecord))
      const known = found.filter((_stored, index) => agents[index] != null)
      const nodes = new Map(known.map((stored) => [stored.key.localId, feedbackNode(context, stored)]))
      return targets.map((target) => {
        const node = nodes.get(target)
        return node === undefined ? null : (field) => feedbackValue(node, field)
      })
    },
    isRequired: true,
  }
  return selectRelated(context, notes, createRelatedValues(list, responseValue, { feedback }), list)
}

async function selectRelated<Row>(
  { budget }: Erc8004Context,
  rows: readonly Row[],
  { load, valueOf }: RelatedValues<Row>,
  list: ListArguments,
): Promise<readonly Row[]> {
  return selectRows(budget, await load(rows), valueOf, list)
}

/** The id of the feedback that a response is to, in the subgraph. */
export function feedbackOfNote({ chainId, agent, client, feedbackIndex }: StoredAgentNote): string {
  return `${shortId({ chainId, subject: agent })}:${client ?? ''}:${feedbackIndex ?? '0'}`
}

export function responseId(note: StoredAgentNote): string {
  return `${feedbackOfNote(note)}:${note.transactionHash}:${positionIndex(note.position as Position)}`
}

export const responseValue = createValues<StoredAgentNote>({
  id: responseId,
  feedback: feedbackOfNote,
  responder: ({ account }) => account,
  responseUri: ({ uri }) => uri,
  responseHash: ({ hash }) => hash,
  createdAt: ({ timestamp }) => timestamp,
})

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

/** The validations of a list. */
export async function listValidations(
  context: Erc8004Context,
  list: ListArguments,
): Promise<readonly ValidationNode[]> {
  const agents = valuesOf(list.condition, 'agent') ?? valuesOf(list.condition, 'agent.id')
  const nodes =
    agents === null
      ? await readValidations(context, null)
      : (await Promise.all(agents.map((id) => readValidations(context, id)))).flat()
  const agent = agentRelation(context, ({ subject }: ValidationNode) => subject)
  return await selectRelated(context, nodes, createRelatedValues(list, validationValue, { agent }), list)
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
    const response = { ...decodeValidation(stored, context.decodePayload), at: stored.attestTimestamp }
    const subject = subjectOfRecord(stored)
    const known = nodes.get(requestHash)
    nodes.set(
      requestHash,
      known === undefined
        ? {
            chainId: stored.key.chainId,
            requestHash,
            subject,
            validator: stored.attester.toLowerCase(),
            requestUri: null,
            createdAt: stored.attestTimestamp,
            response,
          }
        : { ...known, response },
    )
  }
  return [...nodes.values()]
}

/** The responses of validators, oldest first, so that the newest one counts. */
async function* walkResponses(
  { reader, chain, protocol, budget }: Erc8004Context,
  recordId: string | null,
): AsyncGenerator<StoredAttestation> {
  const schema = { chainId: chain.chainId, protocol: protocol.name, localId: validationSchemaId }
  const recipient = recordId === null ? null : ({ kind: 'value', value: recordId } as const)
  const filter = { ...everyAttestation, schema, recipient }
  const slice = (after: RowPlace | null, limit: number) =>
    reader.sliceAttestations({ filter, order: 'oldestFirst', after, limit }, { detail: true, schema: true })
  for await (const rows of walkSlices(slice)) {
    await budget.readRows(rows, sizeOf)
    yield* rows
  }
}

export const validationValue = createValues<ValidationNode>({
  id: ({ requestHash }) => requestHash,
  requestHash: ({ requestHash }) => requestHash,
  agent: shortId,
  validatorAddress: ({ validator }) => validator,
  requestUri: ({ requestUri }) => requestUri ?? nullValue,
  response: ({ response }) => response?.value ?? nullValue,
  responseUri: ({ response }) => response?.uri ?? nullValue,
  responseHash: ({ response }) => response?.hash ?? nullValue,
  tag: ({ response }) => response?.tag ?? nullValue,
  status: ({ response }) => (response === null ? 'PENDING' : 'COMPLETED'),
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ response, createdAt }) => response?.at ?? createdAt,
})

/** The metadata of a list. */
export async function listMetadata(
  context: Erc8004Context,
  list: ListArguments,
): Promise<readonly StoredAgentMetadata[]> {
  const { reader, chain, budget } = context
  const agents = valuesOf(list.condition, 'agent') ?? valuesOf(list.condition, 'agent.id')
  const keys = valuesOf(list.condition, 'key')
  const subjects = agents?.flatMap((id) => subjectOfId(context, id) ?? []) ?? null
  const rows: StoredAgentMetadata[] = []
  let after = -1
  for (;;) {
    const filter = { chainId: chain.chainId, subjects, names: keys }
    const some = await reader.listAgentMetadata(filter, after, sliceMax)
    await budget.readRows(some, ({ name, value }) => name.length + value.length)
    rows.push(...some)
    const last = some.at(-1)
    if (some.length < sliceMax || last === undefined) break
    after = last.place.position
  }
  const agent = agentRelation(context, ({ key }: StoredAgentMetadata) => key.subject)
  return await selectRelated(context, rows, createRelatedValues(list, metadataValue, { agent }), list)
}

export function metadataId({ key, name }: StoredAgentMetadata): string {
  return `${shortId(key)}:${name}`
}

export const metadataValue = createValues<StoredAgentMetadata>({
  id: metadataId,
  agent: ({ key }) => shortId(key),
  key: ({ name }) => name,
  value: ({ value }) => value,
  updatedAt: ({ updatedTimestamp }) => updatedTimestamp,
})
