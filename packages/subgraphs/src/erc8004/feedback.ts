import { feedbackSchemaId } from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import type { AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { FieldValue } from '../engine/condition.ts'
import { comparedValues, keyField, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import {
  addressPart,
  attestationRules,
  flagPart,
  openAttestations,
  type ReadRules,
} from '../engine/planReads.ts'
import { keyOf, readAttestations } from '../engine/readByIds.ts'
import { nullValue } from '../engine/rowSource.ts'
import { recordIdOf, shortId, subjectOfId } from './agentIds.ts'
import { agentRelation } from './agents.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { feedbackFileValue } from './feedbackFiles.ts'
import { feedbackNode, feedbackShortId, scoreOf, valueText, type FeedbackNode } from './feedbackRows.ts'
import { field } from './fields.ts'
import { uriType } from './registrationFile.ts'

const fields: GraphNodeEntity<FeedbackNode, Erc8004Context>['fields'] = {
  id: field('ID!', feedbackShortId),
  agent: keyField(({ stored, subject }) => shortId({ chainId: stored.key.chainId, subject })),
  clientAddress: field('Bytes!', ({ stored }) => stored.attester.toLowerCase()),
  feedbackIndex: field('BigInt!', ({ said }) => said.feedbackIndex, { kind: 'uint' }),
  value: field('BigDecimal!', valueText, {
    description: 'With its decimals applied; zero where the payload cannot be decoded.',
  }),
  score: field('Int!', scoreOf, {
    description: 'The value as a whole number, of earlier versions of the subgraph.',
  }),
  // To the subgraph an empty text is a text.
  tag1: field('String', ({ said }) => said.tag1),
  tag2: field('String', ({ said }) => said.tag2),
  endpoint: field('String', ({ said }) => said.endpoint),
  feedbackURI: field('String', ({ said }) => said.feedbackURI),
  feedbackUri: field('String', ({ said }) => said.feedbackURI),
  feedbackURIType: field('String', ({ said }) => uriType(said.feedbackURI)),
  feedbackHash: field('Bytes', ({ said }) => said.feedbackHash || null),
  isRevoked: field('Boolean!', ({ stored }) => stored.revocation !== null),
  createdAt: field('BigInt!', ({ stored }) => stored.attestTimestamp),
  revokedAt: field('BigInt', ({ stored: { revocation } }) => revocation && Number(revocation.timestamp)),
  // Only the file tells its id.
  feedbackFile: keyField(() => null),
}

/** Rows that an order leaves equal stand by their place on the chain. */
export const feedbackEntity: GraphNodeEntity<FeedbackNode, Erc8004Context> = {
  name: 'Feedback',
  fields,
  related: { agent: 'Agent', feedbackFile: 'FeedbackFile' },
  relations: {
    agent: agentRelation(({ subject }) => subject),
    feedbackFile: {
      load: async (context, nodes) =>
        (await context.feedbackFiles(nodes)).map(
          (file) => file && ((name) => feedbackFileValue(context, file, name)),
        ),
      tellsId: true,
    },
  },
  walkedFields: ['createdAt'],
  valueOf: comparedValues(fields),
  open: (context, request) =>
    openAttestations(erc8004Feedback, context, request, read, (stored) => feedbackNode(context, stored)),
  async find(context, id) {
    const localId = localIdOf(context, id)
    const [found] = localId === null ? [] : await readAttestations(context, [localId], read)
    if (found === undefined) return null
    const node = feedbackNode(context, found)
    return (await context.agents.load(node.subject)) === null ? null : node
  },
}

const read = { detail: true, schema: true }

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

/** Narrows reads by the fields of feedback. */
const erc8004Feedback: ReadRules<Erc8004Context, AttestationFilter> = {
  every: (context) => ({
    ...attestationRules.every(context),
    schema: keyOf(context, feedbackSchemaId),
  }),
  idOf: (context, value) => localIdOf(context, String(value)),
  fields: {
    agent: agentPart,
    clientAddress: addressPart('attester'),
    isRevoked: flagPart('revoked'),
  },
  loose: ['agent'],
  times: [
    { fields: ['createdAt'], from: 'attestedFrom', before: 'attestedBefore' },
    { fields: ['revokedAt'], from: 'revokedFrom', before: 'revokedBefore', none: nullValue },
  ],
}
