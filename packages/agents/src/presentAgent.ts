import { agentNumber } from '@attestry/core/model/agents.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { zeroAddress, type Address } from '@attestry/core/model/hex.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type {
  StoredAgent,
  StoredAgentChange,
  StoredAgentMetadata,
  StoredAgentNote,
} from './projection/agentQueries.ts'
import { jsonText } from '@attestry/server/pipeline/answers/writeJson.ts'
import { didsOfAgent } from '@attestry/core/model/didAddress.ts'
import type { Shown } from '@attestry/server/records/payloadSchemas.ts'
import type { agentRow, historyRow, responseRow, singleAgent } from './agentSchemas.ts'

/** Agents and what belongs to them, as answers show them (docs/erc8004.md, "Agents over REST"). */

/** An agent in a listing. */
export function describeAgent(agent: StoredAgent, id: string): Shown<typeof agentRow> {
  const { key, owner, wallet, uri, profile } = agent
  const { uriState, uriReason, name, description, image, active, endpoints, x402, trusts, skills, domains } =
    profile
  return {
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
    x402,
    trusts,
    skills,
    domains,
    registeredTimestamp: String(agent.registeredTimestamp),
    updatedTimestamp: String(agent.updatedTimestamp),
    transactionHash: agent.registeredTransaction,
    feedbackCount: agent.feedbackCount,
    reviewerCount: agent.reviewerCount,
  }
}

/**
 * A single agent, which was read with its whole URI.
 * @param registration its file as JSON; null if it is not known.
 */
export function presentSingleAgent(
  agent: StoredAgent,
  id: string,
  metadata: readonly StoredAgentMetadata[],
  registration: string | null,
): Shown<typeof singleAgent> {
  return {
    ...describeAgent(agent, id),
    revokedCount: agent.revokedCount,
    responseCount: agent.responseCount,
    versionCount: agent.versionCount,
    metadata: metadata.map(describeMetadata),
    didAddresses: describeDids(agent),
    registration: registration === null ? null : jsonText(registration),
  }
}

export function describeMetadata({ name, value }: StoredAgentMetadata) {
  return { key: name, value }
}

export function describeDids(agent: StoredAgent) {
  return didsOfAgent(agent).map(({ did, address }) => ({ did, address: checksumAddress(address) }))
}

export function describeResponse(note: StoredAgentNote): Shown<typeof responseRow> {
  return {
    feedbackId: formatCompositeId({ chainId: note.chainId, localId: note.target }),
    client: checksumAddress(note.client ?? zeroAddress),
    feedbackIndex: note.feedbackIndex ?? '0',
    responder: checksumAddress(note.account),
    responseURI: note.uri,
    responseHash: note.hash,
    timestamp: String(note.timestamp),
    blockNumber: positionBlock(note.position as Position),
    transactionHash: note.transactionHash,
  }
}

/** A version of an agent. */
export function describeChange(change: StoredAgentChange): Shown<typeof historyRow> {
  const owner =
    change.change === 'registered' ? change.owner : change.change === 'transferred' ? change.to : null
  return {
    change: change.change,
    owner: formatAddress(owner),
    from: formatAddress(change.change === 'transferred' ? change.from : null),
    uri: 'uri' in change ? change.uri : '',
    updatedBy: formatAddress(change.change === 'uriUpdated' ? change.by : null),
    key: change.change === 'metadataSet' ? change.key : '',
    value: change.change === 'metadataSet' ? change.value : '',
    timestamp: String(change.timestamp),
    blockNumber: positionBlock(change.position as Position),
    transactionHash: change.transactionHash,
  }
}

export function formatAddress(address: Address | null): string {
  return address === null ? '' : checksumAddress(address)
}
