import { expect, onTestFinished, test } from 'vitest'
import { createLiveIndex } from '@attestry/test/harness/liveIndex.ts'
import {
  createSimulatedChain,
  signShape,
  type SimulatedChain,
} from '@attestry/test/simulator/simulatedChain.ts'
import type { EndpointCharacter } from '@attestry/test/simulator/simulatedEndpoint.ts'
import { startSimulatorServer, type SimulatorServer } from '@attestry/test/simulator/simulatorServer.ts'
import { parseConfig } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import type { ChainReport } from './probeEndpoint.ts'
import { runCheck } from './runCheck.ts'

const finality = 12
const dense = createSimulatedChain({ seed: 7, blocks: 3_000 })
const sparse = createSimulatedChain({
  seed: 9,
  blocks: 60_000,
  shape: signShape({ blocks: 2_000, eventBlocks: 12, attestations: 12 }),
})
const narrow = { logRange: { max: 2_000, refusal: 0 } }

type Characters = readonly Partial<EndpointCharacter>[]

async function startServers(chain: SimulatedChain, characters: Characters) {
  const servers = await Promise.all(characters.map((character) => startSimulatorServer(chain, { character })))
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.close()))))
  return servers
}

const urlsOf = (servers: readonly SimulatorServer[]) => servers.map(({ url }) => url)

/** Counts what endpoints are asked while a chain is indexed from its first block to its head. */
async function countBackfill(chain: SimulatedChain, characters: Characters) {
  const servers = await startServers(chain, characters)
  const { chainId, contracts, head } = chain
  const index = createLiveIndex({ chainId, contract: contracts.sign, head }, urlsOf(servers), {
    finality,
    pollIntervalMs: 60_000,
  })
  onTestFinished(() => index.remove())
  index.start()
  await index.reachHead(120_000)
  await index.stop()
  const calls = servers
    .flatMap(({ requests }) => [...requests.values()])
    .reduce((sum, count) => sum + count, 0)
  return { calls, requests: servers.reduce((sum, { httpRequests }) => sum + httpRequests(), 0) }
}

async function estimateBackfill(chain: SimulatedChain, characters: Characters) {
  const servers = await startServers(chain, characters)
  const text = `
chains:
  - chainId: ${chain.chainId}
    name: Simulated
    rpc: ${JSON.stringify(urlsOf(servers))}
    finality: ${finality}
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
`
  const known = { environment: {}, known: knownProtocols, endpointsNeeded: true }
  const config = parseConfig(text, 'attestry.yaml', known)
  const { lines } = await runCheck(config, { json: true }, new AbortController().signal)
  const { chains } = JSON.parse(lines.join('\n')) as { readonly chains: readonly [ChainReport] }
  return chains[0].estimate
}

/** Providers bill by the call, and the estimate is to tell what a backfill costs. */
test.each<[name: string, chain: SimulatedChain, ...characters: Characters]>([
  ['a dense chain', dense, {}],
  ['a dense chain without Multicall3', dense, { hasMulticall: false }],
  ['a dense chain whose logs have no time', dense, { sendsTimestamps: false }],
  ['a dense chain with two endpoints', dense, {}, {}],
  ['a sparse chain', sparse, narrow],
  [
    'a sparse chain without Multicall3 whose logs have no time',
    sparse,
    { ...narrow, hasMulticall: false, sendsTimestamps: false },
  ],
])(
  'the estimate for %s is within a factor of 1.5 of what endpoints count',
  async (_, chain, ...characters) => {
    const counted = await countBackfill(chain, characters)
    const estimate = await estimateBackfill(chain, characters)
    const factor = (estimated = 0, truth = 1) => Math.max(estimated / truth, truth / estimated)
    expect(factor(estimate?.calls, counted.calls)).toBeLessThan(1.5)
    // Providers bill calls. The requests that check the history of so short a chain are not estimated.
    expect(factor(estimate?.requests, counted.requests)).toBeLessThan(2)
  },
)
