import type { FoundAgent } from '../agentDirectory.ts'
import { describeAgent } from '../presentAgent.ts'

/** An agent in a query: the members that REST has, and the agent for what is read when it is asked for. */
export type AgentNode = ReturnType<typeof agentNode>

export function agentNode({ agent, id }: FoundAgent) {
  const { revokedCount, responseCount, versionCount } = agent
  return { ...describeAgent(agent, id), revokedCount, responseCount, versionCount, agent }
}
