import { expect, onTestFinished, test } from 'vitest'
import { createLiveIndex } from '@attestry/test/harness/liveIndex.ts'
import {
  createSimulatedChain,
  noEvents,
  signShape,
  type SimulatedChain,
} from '@attestry/test/simulator/simulatedChain.ts'
import type { EndpointCharacter } from '@attestry/test/simulator/simulatedEndpoint.ts'
import { startSimulatorServer, type SimulatorServer } from '@attestry/test/simulator/simulatorServer.ts'
import { parseConfig } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import type { ChainReport } from './probeEndpoint.ts'
import { runCheck } from './runCheck.ts'
import { firstCases } from '@attestry/test/harness/nightly.ts'

const finality = 12
const dense = createSimulatedChain({ seed: 7, blocks: 3_000 })
const sparse = createSimulatedChain({
  seed: 9,
  blocks: 60_000,
  shape: signShape({ blocks: 2_000, eventBlocks: 12, attestations: 12 }),
})
const narrow = { logRange: { max: 2_000, refusal: 0 } }

type Protocol = 'sign' | 'eas' | 'verax' | 'erc8004'

function contractOf({ contracts }: SimulatedChain, protocol: Protocol) {
  switch (protocol) {
    case 'sign':
      return { contract: contracts.sign }
    case 'eas':
      return { contract: contracts.eas, schemaRegistry: contracts.schemaRegistry }
    case 'verax':
      return { contract: contracts.verax, schemaRegistry: contracts.veraxSchemas }
    case 'erc8004':
      return { contract: contracts.identities }
  }
}

type Characters = readonly Partial<EndpointCharacter>[]

async function startServers(chain: SimulatedChain, characters: Characters) {
  const servers = await Promise.all(characters.map((character) => startSimulatorServer(chain, { character })))
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.close()))))
  return servers
}

const urlsOf = (servers: readonly SimulatorServer[]) => servers.map(({ url }) => url)

/** Counts what endpoints are asked while a chain is indexed from its first block to its head. */
async function countBackfill(chain: SimulatedChain, protocol: Protocol, characters: Characters) {
  const servers = await startServers(chain, characters)
  const { chainId, head } = chain
  const index = createLiveIndex(
    { chainId, protocol, ...contractOf(chain, protocol), head },
    urlsOf(servers),
    {
      finality,
      pollIntervalMs: 60_000,
    },
  )
  onTestFinished(() => index.remove())
  index.start()
  await index.reachHead(120_000)
  await expect.poll(() => index.indexer().status().history.length, { timeout: 60_000 }).toBe(1)
  await index.stop()
  const calls = servers
    .flatMap(({ requests }) => [...requests.values()])
    .reduce((sum, count) => sum + count, 0)
  return { calls, requests: servers.reduce((sum, { httpRequests }) => sum + httpRequests(), 0) }
}

async function estimateBackfill(chain: SimulatedChain, protocol: Protocol, characters: Characters) {
  const servers = await startServers(chain, characters)
  const { contract, ...registry } = contractOf(chain, protocol)
  const text = `
chains:
  - chainId: ${chain.chainId}
    name: Simulated
    rpc: ${JSON.stringify(urlsOf(servers))}
    finality: ${finality}
    contracts: [${JSON.stringify({ protocol, address: contract, ...registry, startBlock: 0 })}]
`
  const known = { environment: {}, known: knownProtocols, endpointsNeeded: true }
  const config = parseConfig(text, 'attestry.yaml', known)
  const { lines } = await runCheck(config, { json: true }, new AbortController().signal)
  const { chains } = JSON.parse(lines.join('\n')) as { readonly chains: readonly [ChainReport] }
  return chains[0].estimate
}

const several = createSimulatedChain({
  seed: 8,
  blocks: 6_000,
  shape: {
    blocks: 100,
    eventBlocks: 12,
    events: {
      ...noEvents,
      easSchema: 1,
      easAttestation: 9,
      easRevocation: 2,
      veraxPortal: 1,
      veraxSchema: 1,
      veraxAttestation: 9,
      agentRegistration: 4,
      agentLog: 6,
    },
  },
})

/** Providers bill by the call, and the estimate is to tell what a backfill costs. */
test.each(
  firstCases<[name: string, chain: SimulatedChain, protocol: Protocol, ...characters: Characters]>(7, [
    ['a dense chain', dense, 'sign', {}],
    ['a dense chain without Multicall3', dense, 'sign', { hasMulticall: false }],
    ['a dense chain whose logs have no time', dense, 'sign', { sendsTimestamps: false }],
    ['a sparse chain', sparse, 'sign', narrow],
    ['EAS with two endpoints', several, 'eas', {}, {}],
    ['Verax without Multicall3', several, 'verax', { hasMulticall: false }],
    ['ERC-8004', several, 'erc8004', {}],
    ['a dense chain with two endpoints', dense, 'sign', {}, {}],
    [
      'a sparse chain without Multicall3 whose logs have no time',
      sparse,
      'sign',
      { ...narrow, hasMulticall: false, sendsTimestamps: false },
    ],
    ['a dense chain with full blooms', dense, 'sign', { bloom: 'full' }],
    ['a sparse chain with full blooms', sparse, 'sign', { ...narrow, bloom: 'full' }],
    ['EAS', several, 'eas', {}],
    ['EAS without Multicall3', several, 'eas', { hasMulticall: false }],
    ['Verax', several, 'verax', {}],
    ['ERC-8004 without Multicall3', several, 'erc8004', { hasMulticall: false }],
  ]),
)(
  'the estimate for %s is within a factor of 1.5 of what endpoints count',
  async (_, chain, protocol, ...characters) => {
    const counted = await countBackfill(chain, protocol, characters)
    const estimate = await estimateBackfill(chain, protocol, characters)
    const factor = (estimated = 0, truth = 1) => Math.max(estimated / truth, truth / estimated)
    expect(factor(estimate?.calls, counted.calls)).toBeLessThan(1.5)
    expect(factor(estimate?.requests, counted.requests)).toBeLessThan(1.5)
  },
)
