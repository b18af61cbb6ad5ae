import { hasRegistration, type AgentProfile } from '@attestry/core/model/agentRegistration.ts'
import { parsePublicPointer } from '@attestry/core/model/contentPointer.ts'
import { agentNumber } from '@attestry/core/model/agents.ts'
import { positionIndex, type Position } from '@attestry/core/model/position.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import type { StoredAgent } from '@attestry/core/index/agentQueries.ts'
import { createValues } from '../engine/fieldValues.ts'
import { shortId } from './agentIds.ts'
import { listValue, nullValue, sortableUint } from './readWhere.ts'

/** The value of a field of an agent that filters and orders take; what is null is empty. */
export const agentValue = createValues<StoredAgent>(
  {
    id: ({ key }) => shortId(key),
    chainId: ({ key }) => key.chainId,
    agentId: ({ key }) => sortableUint(agentNumber(key.subject)),
    agentURI: ({ uri }) => uri,
    agentURIType: ({ uri }) => uriType(uri),
    owner: ({ owner }) => owner ?? zeroAddress,
    agentWallet: ({ wallet }) => wallet ?? nullValue,
    operators: () => listValue([]),
    createdAt: ({ registeredTimestamp }) => registeredTimestamp,
    updatedAt: ({ updatedTimestamp }) => updatedTimestamp,
    totalFeedback: ({ feedbackCount, revokedCount }) => feedbackCount - revokedCount,
    lastActivity,
    registrationFile: (agent) => (hasFile(agent) ? fileId(agent) : nullValue),
  },
  (agent, field) => {
    const [relation, own = ''] = field.split('.')
    if (relation !== 'registrationFile') return null
    return hasFile(agent) ? fileValue(agent, own) : nullValue
  },
)

/** The times of the newest registration, change or feedback. */
export function lastActivity({ updatedTimestamp, feedbackTimestamp }: StoredAgent): number {
  return Math.max(updatedTimestamp, feedbackTimestamp)
}

/** Whether the file of the agent is known. */
export function hasFile({ profile }: Pick<StoredAgent, 'profile'>): boolean {
  return hasRegistration(profile)
}

/** What the subgraph calls the form of a URI. */
export function uriType(uri: string): string {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(uri) ?? []
  switch (scheme.toLowerCase()) {
    case 'ipfs':
    case 'https':
    case 'http':
      return scheme.toLowerCase()
    case 'ar':
      return 'arweave'
    case 'data':
      return 'datauri'
    default:
      return 'unknown'
  }
}

/** By transaction, log and identifier, as the subgraph makes ids of files. */
export function fileId({ uri, uriTransaction, uriPosition }: StoredAgent): string {
  const log = positionIndex(uriPosition as Position)
  const identifier = identifierOf(uri)
  return identifier === null
    ? `${uriTransaction}:${uriType(uri)}:${log}`
    : `${uriTransaction}:${log}:${identifier}`
}

/** What IPFS or Arweave has a file by; null for any other place. */
export function identifierOf(uri: string): string | null {
  const pointer = parsePublicPointer(uri)
  return pointer === null ? null : pointer.key.slice(pointer.key.indexOf(':') + 1)
}

function cidOf(agent: StoredAgent): string {
  const type = uriType(agent.uri)
  return identifierOf(agent.uri) ?? `${type}:${fileId(agent).replace(`:${type}`, '')}`
}

/** The value of a field of an agent's file. */
export const fileValue = createValues<StoredAgent>(
  {
    id: fileId,
    cid: cidOf,
    agentId: ({ key }) => shortId(key),
    name: ({ profile }) => profile.name,
    description: ({ profile }) => profile.description,
    image: ({ profile }) => profile.image,
    active: ({ profile }) => profile.active ?? nullValue,
    x402Support: ({ profile }) => profile.x402 ?? nullValue,
    x402support: ({ profile }) => profile.x402 ?? nullValue,
    supportedTrusts: ({ profile }) => listValue(profile.trusts),
    endpointsRawJson: ({ profile }) =>
      profile.endpoints.length === 0 ? nullValue : JSON.stringify(endpointsOf(profile)),
    oasfSkills: ({ profile }) => listValue(profile.skills),
    oasfDomains: ({ profile }) => listValue(profile.domains),
    hasOASF: ({ profile }) => profile.skills.length + profile.domains.length > 0,
    mcpTools: () => listValue([]),
    mcpPrompts: () => listValue([]),
    mcpResources: () => listValue([]),
    a2aSkills: () => listValue([]),
    ens: ({ profile }) => serviceOf(profile, 'ens').endpoint,
    did: ({ profile }) => serviceOf(profile, 'did').endpoint,
    createdAt: ({ uriTimestamp }) => uriTimestamp,
  },
  ({ profile }, field) => {
    const [, name = '', member] = /^(mcp|a2a|web|email|oasf)(Endpoint|Version)$/.exec(field) ?? []
    if (member === undefined) return null
    const service = serviceOf(profile, name)
    return member === 'Endpoint' ? service.endpoint : service.version
  },
)

/** The endpoints of a file; the one of OASF has its skills and domains, as in the file. */
function endpointsOf(profile: AgentProfile): readonly object[] {
  const { endpoints, skills, domains } = profile
  const oasf = serviceOf(profile, 'oasf')
  return endpoints.map((each) => (each === oasf ? { ...each, skills, domains } : each))
}

const noService = { name: '', endpoint: '', version: '' }

/** The last service of a name, as the subgraph takes it. */
function serviceOf({ endpoints }: AgentProfile, name: string): AgentProfile['endpoints'][number] {
  return endpoints.findLast((each) => each.name.toLowerCase() === name) ?? noService
}

/** The characters of an agent that count towards a request's limit. */
export function sizeOfAgent({ uri, profile }: StoredAgent): number {
  const { name, description, image, endpoints } = profile
  const ofEndpoints = endpoints.reduce((sum, each) => sum + 64 + each.endpoint.length, 0)
  return 400 + uri.length + name.length + description.length + image.length + ofEndpoints
}
