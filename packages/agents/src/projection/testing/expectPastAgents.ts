import { expect } from 'vitest'
import { agentProtocol } from '@attestry/core/model/agents.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ChainIdentity } from '@attestry/core/index/indexWriter.ts'
import { feedbackAt, registry, subjectAt } from './generatedAgents.ts'
import { identityOf } from '@attestry/store/testing/storeFactory.ts'

/** A chain with a registry of agents. */
export function agentIdentity(chainId: ChainId): ChainIdentity {
  const identity = identityOf(chainId)
  const contract = { protocol: agentProtocol, address: registry, schemaRegistry: null, startBlock: 0 }
  return { ...identity, contracts: [...identity.contracts, contract] }
}

/** Holds the agents as of a moment against those of an index that stopped there. */
export async function expectPastAgents(
  past: PastReader,
  stopped: PastReader,
  chainId: ChainId,
): Promise<void> {
  const agents = Array.from({ length: 5 }, (_, index) => ({ chainId, subject: subjectAt(index) }))
  const subjects = agents.map(({ subject }) => subject)
  const targets = Array.from({ length: 6 }, (_, index) => feedbackAt(index))
  const page = { page: 1, size: 3 }
  const same = async (ask: (reader: PastReader) => Promise<unknown>) =>
    expect(await ask(past)).toEqual(await ask(stopped))
  for (const whole of [false, true]) await same((reader) => reader.findAgents(agents, whole))
  await same((reader) => reader.listAgentMetadata({ chainId, subjects, names: null }, -1, 100))
  for (const key of agents) await same((reader) => reader.listAgentHistory(key, page))
  for (const kind of ['feedbackResponse', 'validationRequest'] as const) {
    await same((reader) => reader.countAgentNotes(kind, chainId, targets))
    for (const narrowed of [
      { agent: null, targets },
      ...subjects.map((agent) => ({ agent, targets: null })),
    ]) {
      await same((reader) => reader.listAgentNotes({ kind, chainId, ...narrowed }, page))
    }
  }
}
