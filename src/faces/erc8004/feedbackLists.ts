import { feedbackSchemaId } from '../../model/agents.ts'
import type { LocalId } from '../../model/compositeId.ts'
import { parseAddress } from '../../model/hex.ts'
import {
  addressPart,
  openArms,
  planAttestations,
  revokedPart,
  type AttestationDialect,
} from '../protocolGraphql/planAttestations.ts'
import { readAttestations, sizeOf } from '../protocolGraphql/readByIds.ts'
import { createMatcher } from '../protocolGraphql/matchCondition.ts'
import { sortRows } from '../protocolGraphql/sortRows.ts'
import { walkArms } from '../protocolGraphql/walkArms.ts'
import { recordIdOf, subjectOfId, type Erc8004Context } from './erc8004Context.ts'
import { feedbackNode, feedbackValue, type FeedbackNode } from './feedbackRows.ts'
import type { ListArguments } from '../protocolGraphql/listArguments.ts'

const read = { detail: true, schema: true }

/** The feedback of a list. Rows that the order leaves equal stand by their place on the chain. */
export async function listFeedback(
  context: Erc8004Context,
  { condition, orderBy, isDescending, first, skip }: ListArguments,
): Promise<readonly FeedbackNode[]> {
  const isWalked = orderBy === 'createdAt'
  const expected = isWalked ? skip + first : null
  const order = isDescending ? 'newestFirst' : 'oldestFirst'
  const isMatch = createMatcher(condition, feedbackValue, context.budget.compare)
  const arms = await openArms(context, await planAttestations(erc8004Feedback, context, condition), read)
  const matching: FeedbackNode[] = []
  for await (const batch of walkArms(arms, { order, after: null, expected }, context.budget, sizeOf)) {
    matching.push(...batch.map((stored) => feedbackNode(context, stored)).filter(isMatch))
    if (expected !== null && matching.length >= expected) break
  }
  const sorted = isWalked ? matching : sortRows(matching, [{ field: orderBy, isDescending }], feedbackValue)
  return sorted.slice(skip, skip + first)
}

/** Feedback by its id in the subgraph; null where there is none. */
export async function findFeedback(context: Erc8004Context, id: string): Promise<FeedbackNode | null> {
  const localId = localIdOf(context, id)
  const [found] = localId === null ? [] : await readAttestations(context, [localId], read)
  return found === undefined ? null : feedbackNode(context, found)
}

/** The local id that the id in the subgraph stands for; null for any other text. */
export function localIdOf(context: Erc8004Context, id: string): LocalId | null {
  const [, agent = '', client = '', index = ''] = /^(\d+:\d+):(0x[0-9a-f]{40}):(\d{1,20})$/i.exec(id) ?? []
  const [subject, address] = [subjectOfId(context, agent), parseAddress(client)]
  if (subject === null || address === null || BigInt(index) >= 2n ** 64n) return null
  return context.protocol.feedbackId({ agentId: BigInt(subject), client: address, index: BigInt(index) })
}

/** How the fields of feedback narrow what is read. Each row is held against the whole condition. */
const erc8004Feedback: AttestationDialect<Erc8004Context> = {
  idOf: (context, value) => localIdOf(context, String(value)),
  fields: {
    agent: (context, value) => {
      const id = recordIdOf(context, String(value))
      return id === null ? null : { recipient: { kind: 'value', value: id } }
    },
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
