import { feedbackSchemaId } from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import type { AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import {
  addressPart,
  openArms,
  planAttestations,
  revokedPart,
  type AttestationDialect,
} from '../engine/planAttestations.ts'
import { readAttestations, sizeOf } from '../engine/readByIds.ts'
import { allOf, type Condition, type FieldValue } from '../engine/condition.ts'
import { createMatcher } from '../engine/matchCondition.ts'
import { createSorter } from '../engine/sortRows.ts'
import { walkArms } from '../engine/walkArms.ts'
import { recordIdOf, subjectOfId } from './agentIds.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { feedbackFileValue, type FeedbackFileNode } from './feedbackFiles.ts'
import { feedbackNode, feedbackValue, type FeedbackNode } from './feedbackRows.ts'
import { nullValue } from './readWhere.ts'
import { agentRelation, createRelatedValues, type Relation } from './relations.ts'
import type { ListArguments } from '../engine/graphNode/listArguments.ts'

const read = { detail: true, schema: true }

/** The feedback of a list. Rows that the order leaves equal stand by their place on the chain. */
export async function listFeedback(
  context: Erc8004Context,
  { condition, orderBy, isDescending, first, skip }: ListArguments,
): Promise<readonly FeedbackNode[]> {
  const isWalked = orderBy === 'createdAt'
  const expected = isWalked ? skip + first : null
  const order = isDescending ? 'newestFirst' : 'oldestFirst'
  const related = createRelatedValues({ condition, orderBy }, feedbackValue, {
    agent: agentRelation(context, ({ subject }: FeedbackNode) => subject),
    feedbackFile: feedbackFileRelation(context),
  })
  const isMatch = createMatcher(condition, related.valueOf, context.budget.compare)
  const arms = await openArms(context, await planAttestations(erc8004Feedback, context, condition), read)
  const keys = isWalked ? [] : [{ field: orderBy, isDescending }]
  const matching = createSorter(keys, related.valueOf, skip + first)
  for await (const batch of walkArms(arms, { order, after: null, expected }, context.budget, sizeOf)) {
    const nodes = batch.map((stored) => feedbackNode(context, stored))
    matching.add(await context.budget.filter(await related.load(nodes), isMatch))
    if (isWalked && matching.isFull()) break
  }
  return matching.sorted().slice(skip)
}

function feedbackFileRelation({ feedbackFiles }: Erc8004Context): Relation<FeedbackNode> {
  return {
    load: async (nodes) =>
      (await feedbackFiles(nodes)).map((file) => file && ((field) => feedbackFileValue(file, field))),
    tellsId: true,
  }
}

/** The files of feedback that match a condition on files, which the fields of the order are of. */
export async function listFeedbackFiles(
  context: Erc8004Context,
  list: ListArguments,
): Promise<readonly FeedbackFileNode[]> {
  const hasFile: Condition = {
    kind: 'field',
    field: 'feedbackFile',
    test: { kind: 'gt', value: nullValue, folds: false },
  }
  // A file has the time of its feedback, by which feedback is walked.
  const orderBy = list.orderBy === 'createdAt' ? 'createdAt' : `feedbackFile.${list.orderBy}`
  const nodes = await listFeedback(context, { ...list, condition: allOf(hasFile, list.condition), orderBy })
  return (await context.feedbackFiles(nodes)).filter((file) => file !== null)
}

/** Feedback by its id in the subgraph; null where there is none. */
export async function findFeedback(context: Erc8004Context, id: string): Promise<FeedbackNode | null> {
  const localId = localIdOf(context, id)
  const [found] = localId === null ? [] : await readAttestations(context, [localId], read)
  if (found === undefined) return null
  const node = feedbackNode(context, found)
  return (await context.agents.load(node.subject)) === null ? null : node
}

/** The local id that the id in the subgraph stands for; null for any other text. */
export function localIdOf(context: Erc8004Context, id: string): LocalId | null {
  const [, agent = '', client = '', index = ''] = /^(\d+:\d+):(0x[0-9a-f]{40}):(\d{1,20})$/i.exec(id) ?? []
  const [subject, address] = [subjectOfId(context, agent), parseAddress(client)]
  if (subject === null || address === null || BigInt(index) >= 2n ** 64n) return null
  return context.protocol.feedbackId({ agentId: BigInt(subject), client: address, index: BigInt(index) })
}

function agentPart(context: Erc8004Context, value: FieldValue): Partial<AttestationFilter> | null {
  const id = recordIdOf(context, String(value))
  return id === null ? null : { recipient: { kind: 'value', value: id } }
}

/** How the fields of feedback narrow what is read. Each row is held against the whole condition. */
const erc8004Feedback: AttestationDialect<Erc8004Context> = {
  idOf: (context, value) => localIdOf(context, String(value)),
  fields: {
    agent: agentPart,
    'agent.id': agentPart,
    clientAddress: addressPart('attester'),
    isRevoked: revokedPart,
  },
  absent: {},
  constants: {},
  timeFields: ['createdAt'],
  narrow: ({ chain, protocol }, _tests, filters) => {
    const schema = { chainId: chain.chainId, protocol: protocol.name, localId: feedbackSchemaId }
    return Promise.resolve(filters.map((filter) => ({ ...filter, schema })))
  },
}
