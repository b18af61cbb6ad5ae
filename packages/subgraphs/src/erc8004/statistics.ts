import { feedbackSchemaId } from '@attestry/core/model/agents.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import { everyAgent, type StoredAgent } from '@attestry/agents/projection/agentQueries.ts'
import { allOf, isOneOf } from '../engine/condition.ts'
import { comparedValues, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { listBy } from '../engine/graphNode/lists.ts'
import { listRows } from '../engine/listRows.ts'
import { keyOf } from '../engine/readByIds.ts'
import { openWhole } from '../engine/rowSource.ts'
import { addDecimals, averageOf, formatDecimal, type Decimal } from '@attestry/agents/decodeFeedback.ts'
import { lastActivity } from './agents.ts'
import { shortId } from './agentIds.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { feedbackEntity } from './feedback.ts'
import { field } from './fields.ts'
import { validationEntity } from './validations.ts'

/** A protocol in a query. */
export type ProtocolNode = Awaited<ReturnType<typeof readProtocol>>

/** The totals of the chain. */
export async function readTotals(context: Erc8004Context) {
  const { reader, chain, overview } = context
  const { chainId } = chain
  const agents = await reader.listAgents({ ...everyAgent, chainId }, { page: 1, size: 1 })
  // Validations are attestations of the protocol too.
  const feedback = await reader.findSchema(keyOf(context, feedbackSchemaId))
  const requests = { kind: 'validationRequest', chainId, agent: null, targets: null } as const
  const validations = await reader.listAgentNotes(requests, { page: 1, size: 1 })
  const { status } = await overview()
  return {
    totalAgents: String(agents.total),
    totalFeedback: String(feedback?.attestationCount ?? 0),
    totalValidations: String(validations.total),
    tags: [],
    updatedAt: String(status.indexedTimestamp ?? 0),
  }
}

export async function readProtocol(context: Erc8004Context) {
  const { address, reputationRegistry, validationRegistry } = context.chain.contract
  const { status } = await context.overview()
  return {
    ...(await readTotals(context)),
    id: String(status.chainId),
    chainId: String(status.chainId),
    name: status.name,
    identityRegistry: address,
    reputationRegistry: reputationRegistry ?? zeroAddress,
    validationRegistry: validationRegistry ?? zeroAddress,
    createdAt: '0',
  }
}

const fields: GraphNodeEntity<ProtocolNode, Erc8004Context>['fields'] = {
  id: field('ID!', ({ id }) => id),
  chainId: field('BigInt!', ({ chainId }) => chainId),
  name: field('String!', ({ name }) => name),
  identityRegistry: field('Bytes!', ({ identityRegistry }) => identityRegistry),
  reputationRegistry: field('Bytes!', ({ reputationRegistry }) => reputationRegistry),
  validationRegistry: field('Bytes!', ({ validationRegistry }) => validationRegistry),
  totalAgents: field('BigInt!', ({ totalAgents }) => totalAgents),
  totalFeedback: field('BigInt!', ({ totalFeedback }) => totalFeedback),
  totalValidations: field('BigInt!', ({ totalValidations }) => totalValidations),
  createdAt: field('BigInt!', ({ createdAt }) => createdAt),
  updatedAt: field('BigInt!', ({ updatedAt }) => updatedAt),
}

/** The only protocol: that of the chain. */
export const protocolEntity: GraphNodeEntity<ProtocolNode, Erc8004Context> = {
  name: 'Protocol',
  fields,
  walkedFields: [],
  ties: 'id',
  valueOf: comparedValues(fields),
  open: async (context) => openWhole([await readProtocol(context)]),
  find: async (context, id) => (id === String(context.chain.chainId) ? await readProtocol(context) : null),
}

const bands = [20, 40, 60, 80, 100]

/** The totals of the feedback and validations of an agent; all of them are read. */
export async function readAgentStats(context: Erc8004Context, agent: StoredAgent): Promise<object> {
  const id = shortId(agent.key)
  const ofAgent = isOneOf('agent', [id])
  const whole = listBy('createdAt', false)
  const feedback = await listRows(feedbackEntity, context, {
    ...whole,
    condition: allOf(ofAgent, isOneOf('isRevoked', [false])),
  })
  const validations = await listRows(validationEntity, context, { ...whole, condition: ofAgent })
  const values = feedback.flatMap(({ said }) => said.value ?? [])
  const scores = validations.flatMap(({ response }) => response?.value ?? [])
  return {
    id,
    agent,
    totalFeedback: String(feedback.length),
    averageScore: averageText(values),
    scoreDistribution: bands.map((to, index) => {
      const above = bands[index - 1] ?? -1
      return values.filter((value) => isWithin(Number(formatDecimal(value)), above, to)).length
    }),
    totalValidations: String(validations.length),
    completedValidations: String(scores.length),
    averageValidationScore: averageText(scores.map((score) => ({ digits: BigInt(score), decimals: 0 }))),
    lastActivity: String(lastActivity(agent)),
    updatedAt: String(lastActivity(agent)),
  }
}

/** The first band holds zero too. */
function isWithin(value: number, above: number, to: number): boolean {
  return above < 0 ? value >= 0 && value <= to : value > above && value <= to
}

function averageText(values: readonly Decimal[]): string {
  const sum = values.reduce(addDecimals, { digits: 0n, decimals: 0 })
  return values.length === 0 ? '0' : formatDecimal(averageOf(sum, values.length))
}
