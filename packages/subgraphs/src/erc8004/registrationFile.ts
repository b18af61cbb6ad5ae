import { hasRegistration, type AgentProfile } from '@attestry/core/model/agentRegistration.ts'
import { parsePublicPointer } from '@attestry/core/model/contentPointer.ts'
import { positionIndex, type Position } from '@attestry/core/model/position.ts'
import type { StoredAgent } from '@attestry/agents/projection/agentQueries.ts'
import { comparedValues, type GraphNodeField } from '../engine/graphNode/entity.ts'
import { shortId } from './agentIds.ts'
import { field } from './fields.ts'

/** The file of an agent, which is kept with the agent. An empty text of the file is null. */
export const registrationFields: Readonly<Record<string, GraphNodeField<StoredAgent, unknown>>> = {
  id: field('ID!', fileId),
  cid: field('String!', cidOf),
  agentId: field('String!', ({ key }) => shortId(key)),
  name: field('String', ({ profile }) => profile.name || null),
  description: field('String', ({ profile }) => profile.description || null),
  image: field('String', ({ profile }) => profile.image || null),
  active: field('Boolean', ({ profile }) => profile.active),
  x402Support: field('Boolean', ({ profile }) => profile.x402),
  x402support: field('Boolean', ({ profile }) => profile.x402),
  supportedTrusts: field('[String!]!', ({ profile }) => profile.trusts),
  endpointsRawJson: field('String', ({ profile }) =>
    profile.endpoints.length === 0 ? null : JSON.stringify(endpointsOf(profile)),
  ),
  mcpEndpoint: endpoint('mcp'),
  mcpVersion: version('mcp'),
  a2aEndpoint: endpoint('a2a'),
  a2aVersion: version('a2a'),
  webEndpoint: endpoint('web'),
  emailEndpoint: endpoint('email'),
  oasfEndpoint: endpoint('oasf'),
  oasfVersion: version('oasf'),
  oasfSkills: field('[String!]!', ({ profile }) => profile.skills),
  oasfDomains: field('[String!]!', ({ profile }) => profile.domains),
  hasOASF: field('Boolean!', ({ profile }) => profile.skills.length + profile.domains.length > 0),
  ens: endpoint('ens'),
  did: endpoint('did'),
  mcpTools: field('[String!]!', () => []),
  mcpPrompts: field('[String!]!', () => []),
  mcpResources: field('[String!]!', () => []),
  a2aSkills: field('[String!]!', () => []),
  createdAt: field('BigInt!', ({ uriTimestamp }) => uriTimestamp),
}

/** The value of a field of an agent's file. */
export const registrationValue = comparedValues(registrationFields)

/** Whether the file of the agent is known. */
export function hasFile({ profile }: Pick<StoredAgent, 'profile'>): boolean {
  return hasRegistration(profile)
}

/** The name that the subgraph has for the form of a URI. */
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

/** The identifier of a file in IPFS or Arweave; null for any other place. */
export function identifierOf(uri: string): string | null {
  const pointer = parsePublicPointer(uri)
  return pointer === null ? null : pointer.key.slice(pointer.key.indexOf(':') + 1)
}

function cidOf(agent: StoredAgent): string {
  const type = uriType(agent.uri)
  return identifierOf(agent.uri) ?? `${type}:${fileId(agent).replace(`:${type}`, '')}`
}

function endpoint(service: string): GraphNodeField<StoredAgent, unknown> {
  return field('String', ({ profile }) => serviceOf(profile, service)?.endpoint || null)
}

function version(service: string): GraphNodeField<StoredAgent, unknown> {
  return field('String', ({ profile }) => serviceOf(profile, service)?.version || null)
}

/** The endpoints of a file; the one of OASF has its skills and domains, as in the file. */
function endpointsOf(profile: AgentProfile): readonly object[] {
  const { endpoints, skills, domains } = profile
  const oasf = serviceOf(profile, 'oasf')
  return endpoints.map((each) => (each === oasf ? { ...each, skills, domains } : each))
}

/** The last service of a name, as the subgraph takes it. */
function serviceOf({ endpoints }: AgentProfile, name: string): AgentProfile['endpoints'][number] | undefined {
  return endpoints.findLast((each) => each.name.toLowerCase() === name)
}
