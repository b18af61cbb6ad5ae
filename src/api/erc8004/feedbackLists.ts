import { feedbackSchemaId } from '../../model/agents.ts'
import type { LocalId } from '../../model/compositeId.ts'
import { parseAddress } from '../../model/hex.ts'
import type { AttestationFilter } from '../../store/indexQueries.ts'
import type { StoredAttestation } from '../../store/storedRecords.ts'
import { boundsOf } from '../protocolGraphql/alternatives.ts'
import type { Condition, FieldCondition } from '../protocolGraphql/condition.ts'
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
import { walkArms, type ReadArm } from '../protocolGraphql/walkArms.ts'
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
  const arms = await planArms(context, condition)
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

/** The lists whose rows together hold all feedback that matches. */
async function planArms(
  context: Erc8004Context,
  condition: Condition,
): Promise<readonly ReadArm<StoredAttestation>[]> {
  const recordIds = await recordIdsOf(context, condition)
  const { filters, ids } = await planAttestations(dialectOf(recordIds), context, renameId(condition))
  const { chainId } = context.chain
  const schema = { chainId, protocol: context.protocol.name, localId: feedbackSchemaId }
  return await openArms(context, { filters: filters.map((filter) => ({ ...filter, schema })), ids }, read)
}

/** How the fields of feedback narrow what is read. Each row is held against the whole condition. */
function dialectOf(recordIds: ReadonlyMap<string, string | null>): AttestationDialect<Erc8004Context> {
  return {
    fields: {
      agent: (_context, value): Partial<AttestationFilter> | null => {
        const id = recordIds.get(String(value)) ?? null
        return id === null ? null : { recipient: { kind: 'value', value: id } }
      },
      clientAddress: addressPart('attester'),
      isRevoked: revokedPart,
    },
    absent: {},
    constants: {},
    timeFields: ['createdAt'],
    findIds: (context, tests) => {
      const asked = boundsOf(tests, ['feedbackId']).values
      if (asked === null) return Promise.resolve(null)
      return Promise.resolve([...asked].flatMap((id) => localIdOf(context, String(id)) ?? []))
    },
  }
}

/** The ids in records of the agents that a condition names. */
async function recordIdsOf(
  context: Erc8004Context,
  condition: Condition,
): Promise<ReadonlyMap<string, string | null>> {
  const named = new Set(
    fieldTests(condition).flatMap(({ field, test }) =>
      field === 'agent' && test.kind === 'in' ? [...test.values].map(String) : [],
    ),
  )
  const pairs = [...named].map(async (id) => [id, await recordIdOf(context, id)] as const)
  return new Map(await Promise.all(pairs))
}

function fieldTests(condition: Condition): readonly FieldCondition[] {
  switch (condition.kind) {
    case 'field':
      return [condition]
    case 'not':
      return fieldTests(condition.of)
    case 'relation':
      return []
    default:
      return condition.of.flatMap(fieldTests)
  }
}

/** The same condition with another name for ids, which here are not those of the records. */
function renameId(condition: Condition): Condition {
  switch (condition.kind) {
    case 'field':
      return condition.field === 'id' ? { ...condition, field: 'feedbackId' } : condition
    case 'not':
      return { ...condition, of: renameId(condition.of) }
    case 'relation':
      return condition
    default:
      return { ...condition, of: condition.of.map(renameId) }
  }
}
