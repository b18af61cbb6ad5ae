import { readRegistration } from '../../model/agentRegistration.ts'
import { agentNumber } from '../../model/agents.ts'
import { checksumAddress } from '../../model/checksumAddress.ts'
import type { Address } from '../../model/hex.ts'
import type { StoredAgent, StoredAgentMetadata } from '../../store/agentQueries.ts'
import { withMembers } from '../rest/presentAttestation.ts'
import { didsOfAgent } from './didAddress.ts'

/** A row of the listing of agents. */
export function presentAgent(agent: StoredAgent, id: string): string {
  const { key, owner, wallet, uri, profile } = agent
  const { uriState, uriReason, name, description, image, active, endpoints } = profile
  return JSON.stringify({
    id,
    chainId: String(key.chainId),
    agentId: agentNumber(key.subject),
    owner: formatAddress(owner),
    wallet: formatAddress(wallet),
    uri,
    uriState,
    uriReason,
    name,
    description,
    image,
    active,
    endpoints,
    registeredTimestamp: String(agent.registeredTimestamp),
    updatedTimestamp: String(agent.updatedTimestamp),
    transactionHash: agent.registeredTransaction,
    feedbackCount: agent.feedbackCount,
    reviewerCount: agent.reviewerCount,
  })
}

/** A single agent, which was read with its whole URI. */
export function presentSingleAgent(
  agent: StoredAgent,
  id: string,
  metadata: readonly StoredAgentMetadata[],
): string {
  const { file } = readRegistration(agent.uri)
  const members = {
    revokedCount: agent.revokedCount,
    responseCount: agent.responseCount,
    versionCount: agent.versionCount,
    metadata: metadata.map(({ name, value }) => ({ key: name, value })),
    registration: file,
    didAddresses: didsOfAgent(agent).map(({ did, address }) => ({ did, address: checksumAddress(address) })),
  }
  return withMembers(presentAgent(agent, id), JSON.stringify(members).slice(1, -1))
}

export function formatAddress(address: Address | null): string {
  return address === null ? '' : checksumAddress(address)
}
