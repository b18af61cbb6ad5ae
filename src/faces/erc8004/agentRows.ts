import { hasRegistration, type AgentProfile } from '../../model/agentRegistration.ts'
import { parsePublicPointer } from '../../model/contentPointer.ts'
import { agentNumber } from '../../model/agents.ts'
import { positionIndex, type Position } from '../../model/position.ts'
import { zeroAddress } from '../../model/hex.ts'
import type { StoredAgent } from '../../store/agentQueries.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
import { shortId } from './agentIds.ts'
import { listValue, nullValue, sortableUint } from './readWhere.ts'

/** The value of a field of an agent that filters and orders take; what is null is empty. */
export function agentValue(agent: StoredAgent, field: string): FieldValue {
  switch (field) {
    case 'id':
      return shortId(agent.key)
    case 'chainId':
      return agent.key.chainId
    case 'agentId':
      return sortableUint(agentNumber(agent.key.subject))
    case 'agentURI':
      return agent.uri
    case 'agentURIType':
      return uriType(agent.uri)
    case 'owner':
      return agent.owner ?? zeroAddress
    case 'agentWallet':
      return agent.wallet ?? nullValue
    case 'operators':
      return listValue([])
    case 'createdAt':
      return agent.registeredTimestamp
    case 'updatedAt':
      return agent.updatedTimestamp
    case 'totalFeedback':
      return agent.feedbackCount - agent.revokedCount
    case 'lastActivity':
      return lastActivity(agent)
    case 'registrationFile':
      return hasFile(agent) ? fileId(agent) : nullValue
    default: {
      const [relation, own = ''] = field.split('.')
      if (relation !== 'registrationFile') throw new TypeError(`an agent has no field ${field}`)
      return hasFile(agent) ? fileValue(agent, own) : nullValue
    }
  }
}

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
export function fileValue(agent: StoredAgent, field: string): FieldValue {
  const { profile } = agent
  switch (field) {
    case 'id':
      return fileId(agent)
    case 'cid':
      return cidOf(agent)
    case 'agentId':
      return shortId(agent.key)
    case 'name':
    case 'description':
    case 'image':
      return profile[field]
    case 'active':
      return profile.active ?? nullValue
    case 'x402Support':
    case 'x402support':
      return profile.x402 ?? nullValue
    case 'supportedTrusts':
      return listValue(profile.trusts)
    case 'endpointsRawJson':
      return profile.endpoints.length === 0 ? nullValue : JSON.stringify(profile.endpoints)
    case 'oasfSkills':
      return listValue(profile.skills)
    case 'oasfDomains':
      return listValue(profile.domains)
    case 'hasOASF':
      return profile.skills.length + profile.domains.length > 0
    case 'mcpTools':
    case 'mcpPrompts':
    case 'mcpResources':
    case 'a2aSkills':
      return listValue([])
    case 'ens':
    case 'did':
      return serviceOf(profile, field).endpoint
    case 'createdAt':
      return agent.uriTimestamp
    default: {
      const [, name = '', member] = /^(mcp|a2a|web|email|oasf)(Endpoint|Version)$/.exec(field) ?? []
      if (member === undefined) throw new TypeError(`a file has no field ${field}`)
      const service = serviceOf(profile, name)
      return member === 'Endpoint' ? service.endpoint : service.version
    }
  }
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
