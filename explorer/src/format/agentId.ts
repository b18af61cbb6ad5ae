/** The short form of the id of an agent, for addresses of pages: `8453:22` for `eip155:8453:0x…/22`. */
export function shortAgentId(id: string): string {
  const [, chainId, agentId] = /^eip155:(\d+):0x[0-9a-f]{40}\/(\d+)$/i.exec(id) ?? []
  return chainId === undefined || agentId === undefined ? id : `${chainId}:${agentId}`
}
