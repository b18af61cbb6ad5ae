import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { foldText } from '@attestry/core/model/foldText.ts'
import { everyAgent, type AgentFilter } from './projection/agentQueries.ts'
import { isUnknown } from '@attestry/server/pipeline/parameters/attestationFilterParameters.ts'
import { asOfParameter } from '@attestry/server/pipeline/asOf/parseAsOf.ts'
import { agentIdParameter } from '@attestry/server/pipeline/parameters/agentIdParameter.ts'
import { booleanParameter, choiceParameter } from '@attestry/server/pipeline/parameters/choiceParameter.ts'
import {
  addressFilterParameter,
  chainIdParameter,
  readAddress,
} from '@attestry/server/pipeline/parameters/idParameters.ts'
import {
  cursorParameter,
  keywordParameter,
  pageOrCursorParameter,
  pageParameter,
  sizeParameter,
} from '@attestry/server/pipeline/parameters/listingParameters.ts'
import {
  refusedParameter,
  type Parameter,
  type ParameterValues,
} from '@attestry/server/pipeline/parameters/parameter.ts'
import { textParameter } from '@attestry/server/pipeline/parameters/textParameters.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { includeNamesParameter } from '@attestry/server/records/include.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import { clientsMax } from './summary.ts'

export const agentFilterParameters = {
  owner: addressFilterParameter('owner', 'Only agents that this account owns.'),
  chainId: chainIdParameter,
  active: booleanParameter('active', 'Only agents whose registration says that they are active, or not.'),
  hasFeedback: booleanParameter('hasFeedback', 'Only agents that were given feedback, or none.'),
  keyword: keywordParameter(
    'Only agents whose name or description contains the text, or the agent with this id.',
  ),
  service: textParameter(
    'service',
    'Only agents whose registration has a service of exactly this name, such as MCP.',
  ),
  capability: textParameter(
    'capability',
    'Only agents whose registration lists exactly this skill, domain or model of trust.',
  ),
} as const

/** The filter of agents for the store; null if no agent can pass. */
export function agentFilterOf({
  owner,
  chainId,
  active,
  hasFeedback,
  keyword,
  service,
  capability,
}: ParameterValues<typeof agentFilterParameters>): AgentFilter | null {
  if (isUnknown(chainId)) return null
  const folded = keyword && foldText(keyword.text)
  const own = { owner, active, hasFeedback, folded, service, capability }
  return { ...everyAgent, ...own, chainId: chainId?.value ?? null }
}

/** Of a list of agents only the newest state is kept in order. */
const refusedAsOfParameter = refusedParameter(
  'asOf',
  'Refused: lists of agents are of the newest state.',
  'asOf is no parameter of the list of agents, which is of the newest state; /scan/agents/{id} takes it, and so do ' +
    'its feedback, responses, validations, history and reputation.',
)

export const agentListParameters = {
  ...agentFilterParameters,
  order: choiceParameter({
    name: 'order',
    description:
      '`updated`: newest change first; `feedback`: most feedback first, revoked or not. Both by page only; otherwise newest registration first.',
    choices: ['updated', 'feedback'],
  }),
  asOf: refusedAsOfParameter,
  include: includeNamesParameter,
  page: pageOrCursorParameter,
  cursor: cursorParameter,
  size: sizeParameter,
} as const

/** The policy whose reviewers count. */
const byParameter = textParameter(
  'by',
  'Only feedback of reviewers that this policy of the server lets through (docs/gate.md).',
)

export const feedbackParameters = {
  id: agentIdParameter,
  client: addressFilterParameter('client', 'Only feedback of this account.'),
  tag1: textParameter('tag1', 'Only feedback with exactly this first tag.'),
  tag2: textParameter('tag2', 'Only feedback with exactly this second tag.'),
  revoked: booleanParameter('revoked', 'Only revoked feedback, or only what is not revoked.'),
  by: byParameter,
  asOf: asOfParameter,
  include: includeNamesParameter,
  page: pageParameter,
  size: sizeParameter,
} as const

/** The parameters of answers about one agent. */
export const ofAgentParameters = { id: agentIdParameter, asOf: asOfParameter } as const

export const agentPageParameters = { ...ofAgentParameters, page: pageParameter, size: sizeParameter } as const

/** @throws BadParameterError */
function readClients(text: string): readonly Address[] {
  const sent = text.startsWith('[') ? readList(text) : text.split(',').filter((each) => each.trim() !== '')
  return sent.map((each) => readAddress('client[in]', each.trim()))
}

function readList(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list
  } catch {
    // Refused below.
  }
  throw new BadParameterError(
    `client[in] must be addresses with commas between them, or a JSON array of them; it was ${quoteInput(text)}.`,
  )
}

/** The clients whose feedback is summarised; null without any word of clients. */
const clientsParameter: Parameter<readonly Address[] | null> = {
  name: 'client',
  in: 'query',
  schema: Type.Object(
    {
      in: Type.Array(Type.String(), {
        description: 'Accounts, of which one that stands here twice counts twice.',
      }),
    },
    {
      additionalProperties: false,
      description: `Adds \`summary\`, what \`getSummary\` of the registry says of the feedback of up to ${clientsMax} accounts: \`client[in]=0x…,0x…\`.`,
    },
  ),
  absent: { value: null },
  read: (text) => (text === '' ? null : readClients(text)),
  readAll: (sent) =>
    sent.flatMap(({ name, text }) => {
      if (name === 'client[in]') return readClients(text)
      throw new BadParameterError(`client takes client[in]=0x…,0x…; it was ${quoteInput(name)}.`)
    }),
}

export const reputationParameters = {
  ...ofAgentParameters,
  by: byParameter,
  client: clientsParameter,
  tag1: textParameter('tag1', 'Of `summary`: only feedback with exactly this first tag.'),
  tag2: textParameter('tag2', 'Of `summary`: only feedback with exactly this second tag.'),
} as const
