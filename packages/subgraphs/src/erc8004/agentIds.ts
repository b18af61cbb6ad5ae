import { agentNumber, formatAgentId, parseAgentId, type AgentKey } from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { recipientsOf } from '@attestry/core/model/recordJson.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { ProtocolChain } from '../engine/serveDialect.ts'

interface OfChain {
  readonly chain: ProtocolChain
}

/** The id of an agent in the subgraph: `<chainId>:<agentId>`. */
export function shortId({ chainId, subject }: AgentKey): string {
  return `${chainId}:${agentNumber(subject)}`
}

/** The word of an agent of the chain by its id in the subgraph; null for any other text. */
export function subjectOfId({ chain }: OfChain, id: string): LocalId | null {
  const parsed = parseAgentId(id)
  return parsed !== null && parsed.registry === null && parsed.chainId === chain.chainId
    ? parsed.subject
    : null
}

/** The id of an agent as recipients of records have it; null for the id of no agent of the chain. */
export function recordIdOf({ chain }: OfChain, id: string): string | null {
  const subject = subjectOfId({ chain }, id)
  return subject === null ? null : formatAgentId({ chainId: chain.chainId, subject }, chain.contract.address)
}

/** The word of the agent that feedback or a validation is about. */
export function subjectOfRecord(stored: StoredAttestation): LocalId {
  return parseAgentId(recipientsOf(stored).at(-1) ?? '')?.subject ?? ('0x0' as LocalId)
}
