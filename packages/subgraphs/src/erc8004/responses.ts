import { sliceMax } from '@attestry/server/records/slices.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { positionIndex, type Position } from '@attestry/core/model/position.ts'
import type { StoredAgentNote } from '@attestry/agents/projection/agentQueries.ts'
import { listedValues } from '../engine/alternatives.ts'
import { comparedValues, keyField, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { loadAll, readAttestations } from '../engine/readByIds.ts'
import { openWhole } from '../engine/rowSource.ts'
import { shortId, subjectOfRecord } from './agentIds.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { feedbackEntity, localIdOf } from './feedback.ts'
import { feedbackNode } from './feedbackRows.ts'
import { field } from './fields.ts'
import { readNotes } from './readNotes.ts'

const fields: GraphNodeEntity<StoredAgentNote, Erc8004Context>['fields'] = {
  id: field(
    'ID!',
    (note) => `${feedbackOfNote(note)}:${note.transactionHash}:${positionIndex(note.position as Position)}`,
  ),
  feedback: keyField(feedbackOfNote),
  responder: field('Bytes!', ({ account }) => account),
  responseUri: field('String', ({ uri }) => uri),
  responseHash: field('Bytes', ({ hash }) => hash),
  createdAt: field('BigInt!', ({ timestamp }) => timestamp),
}

/** Responses to feedback. Lists read all of the chain, or of the feedback that is asked for. */
export const responseEntity: GraphNodeEntity<StoredAgentNote, Erc8004Context> = {
  name: 'FeedbackResponse',
  fields,
  related: { feedback: 'Feedback' },
  relations: { feedback: { load: loadFeedback, isRequired: true } },
  walkedFields: [],
  ties: 'id',
  valueOf: comparedValues(fields),
  async open(context, { condition }) {
    const kind = 'feedbackResponse'
    const feedback = listedValues(condition, 'feedback')
    if (feedback === null) return openWhole(await readNotes(context, kind, { agent: null, targets: null }))
    const targets = [...feedback].flatMap((id) => localIdOf(context, String(id)) ?? [])
    const notes: StoredAgentNote[] = []
    for (let from = 0; from < targets.length; from += sliceMax) {
      const some = targets.slice(from, from + sliceMax)
      notes.push(...(await readNotes(context, kind, { agent: null, targets: some })))
    }
    return openWhole(notes)
  },
}

/** The feedback that responses are to, where it and its agent are indexed. */
async function loadFeedback(context: Erc8004Context, notes: readonly StoredAgentNote[]) {
  const targets = notes.map(({ target }): LocalId => target)
  const found = await readAttestations(context, [...new Set(targets)], { detail: true, schema: true })
  const agents = await loadAll(context.agents, found.map(subjectOfRecord))
  const known = found.filter((_stored, index) => agents[index] != null)
  const nodes = new Map(known.map((stored) => [stored.key.localId, feedbackNode(context, stored)]))
  return targets.map((target) => {
    const node = nodes.get(target)
    return node === undefined ? null : (name: string) => feedbackEntity.valueOf(context, node, name)
  })
}

/** The id of the feedback that a response is to, in the subgraph. */
export function feedbackOfNote({ chainId, agent, client, feedbackIndex }: StoredAgentNote): string {
  return `${shortId({ chainId, subject: agent })}:${client ?? ''}:${feedbackIndex ?? '0'}`
}
