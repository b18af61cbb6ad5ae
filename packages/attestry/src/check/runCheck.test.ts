import { afterEach, expect, test } from 'vitest'
import { rpcError, startScriptedRpcServer } from '@attestry/test/harness/scriptedRpcServer.ts'
import { createSimulatedChain } from '@attestry/test/simulator/simulatedChain.ts'
import {
  startSimulatorServer,
  type SimulatorServerOptions,
} from '@attestry/test/simulator/simulatorServer.ts'
import { parseConfig } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { formatCheck } from './formatCheck.ts'
import type { ChainReport } from './probeEndpoint.ts'
import { runCheck, type CheckFlags } from './runCheck.ts'

const chain = createSimulatedChain({ seed: 7 })
chain.mine(3_000)
const servers: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const secret = 'k3y0123456789abcdef'
const limits = { requestMs: 60_000, totalMs: 100_000, headMs: 200 }

async function serve(options: SimulatorServerOptions = {}): Promise<string> {
  const server = await startSimulatorServer(chain, options)
  servers.push(server)
  return `${server.url}/v2/${secret}?key=${secret}`
}

async function check(
  urls: readonly string[],
  flags: CheckFlags = {},
  startBlock = 'startBlock: 0',
  times: Partial<typeof limits> = {},
  stop = new AbortController().signal,
) {
  const text = `
chains:
  - chainId: ${chain.chainId}
    name: Simulated
    rpc: ${JSON.stringify(urls)}
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", ${startBlock} }]
`
  const config = parseConfig(text, 'attestry.yaml', {
    environment: {},
    known: knownProtocols,
    endpointsNeeded: true,
  })
  const result = await runCheck(config, flags, stop, { ...limits, ...times })
  expect(result.lines.join('\n')).not.toContain(secret)
  return { ...result, works: result.failure === null }
}

async function report(urls: readonly string[], startBlock?: string, times?: Partial<typeof limits>) {
  const { lines, works } = await check(urls, { json: true, requestsPerSecond: '0.1' }, startBlock, times)
  const { chains } = JSON.parse(lines.join('\n')) as { readonly chains: readonly [ChainReport] }
  const [first] = chains[0].endpoints
  if (first === undefined) throw new Error('no endpoint was reported')
  return { works, first, chain: chains[0] }
}

test('an honest endpoint works, and the estimate is near the truth', async () => {
  const { works, first, chain: of } = await report([await serve()])
  expect(first).toMatchObject({
    logRangeBlocks: chain.head() + 1,
    batchCalls: 100,
    problems: [],
    warnings: [],
  })
  expect(first.requests).toBeLessThan(40)
  expect(works).toBe(true)
  const truth = chain
    .events(chain.view(), 0, chain.head())
    .filter(({ kind }) => kind.startsWith('sign')).length
  expect(truth).toBeGreaterThan(500)
  expect(of.estimate?.events).toBeGreaterThan(truth * 0.7)
  expect(of.estimate?.events).toBeLessThan(truth * 1.3)
  expect(of.estimate?.daysOnPlan).toBeCloseTo((of.estimate?.calls ?? 0) / 8_640)
})

test('an endpoint of another chain does not work, and the others are asked nonetheless', async () => {
  const {
    works,
    first,
    chain: of,
  } = await report([await serve({ character: { chainId: 5 } }), await serve()])
  expect(works).toBe(false)
  expect(first.problems.join()).toMatch(/serves chain 5 instead of/)
  expect(of.endpoints[1]?.problems).toEqual([])
  expect(of.estimate).not.toBeNull()
})

test.each([
  ['says how many blocks it takes', 0, 250],
  ['does not say so', 17, 100],
])('an endpoint that refuses ranges and %s', async (_, refusal, blocks) => {
  const { works, first } = await report([await serve({ character: { logRange: { max: 250, refusal } } })])
  expect([works, first.logRangeBlocks]).toEqual([true, blocks])
})

test('a silent endpoint does not work, within the time for a request', async () => {
  const silent = await serve({ instead: () => ({ kind: 'hang' }) })
  const { works, first } = await report([silent], undefined, { requestMs: 500 })
  expect(works).toBe(false)
  expect(first).toMatchObject({ headBlock: null, requests: 1 })
  expect(first.problems.join()).toMatch(/did not answer within 500 ms/)
})

test('a slow endpoint is given up after the time for all its requests', async () => {
  const slow = await serve({ latencyMs: 300 })
  const { lines, failure } = await check([slow], {}, 'startBlock: 0', { totalMs: 1_000 })
  expect(lines.join('\n')).toMatch(/was too slow to be asked all within 1 s/)
  expect(failure?.message).toBe('1 of 1 endpoints would not work')
})

test('a check that is stopped says so', async () => {
  const controller = new AbortController()
  const url = await serve({ onRequest: () => controller.abort(), instead: () => ({ kind: 'hang' }) })
  await expect(check([url], {}, '', {}, controller.signal)).rejects.toThrow(/was stopped before/)
})

test('an endpoint that takes no batches works, with a note', async () => {
  const url = await serve({ character: { batchMax: 1 }, latencyMs: 30 })
  const { works, first, chain: of } = await report([url])
  expect([works, first.batchCalls]).toEqual([true, 1])
  expect(first.warnings.join()).toMatch(/takes no batches/)
  expect(first.answerMs).toBeGreaterThan(25)
  expect(formatCheck([of]).join('\n')).toContain(` ${first.answerMs} ms `)
})

test('warns about late logs of the head', async () => {
  const character = { logsLateMs: { byRange: 1e9, byHash: 1e9 } }
  const { first } = await report([await serve({ character })])
  expect([first.logsLateMs, first.warnings.length]).toEqual([null, 1])
  expect(first.warnings[0]).toMatch(/without its logs for longer/)
})

test('warns about an endpoint without old state only if the first block has to be found', async () => {
  const server = await startScriptedRpcServer(chain.chainId, {
    eth_getBlockByNumber: () => ({
      number: '0x64',
      hash: `0x${'11'.repeat(32)}`,
      parentHash: `0x${'22'.repeat(32)}`,
      timestamp: '0x1',
      logsBloom: `0x${'00'.repeat(256)}`,
    }),
    eth_getLogs: () => [],
    eth_getCode: ({ params }) => (params[1] === 'latest' ? '0x60' : rpcError(-32000, 'missing trie node')),
    eth_getProof: () => ({ accountProof: [] }),
    eth_subscribe: () => '0x1',
  })
  servers.push(server)
  const { works, first } = await report([server.webSocketUrl], '')
  expect([works, first.hasOldState, first.subscription]).toEqual([true, false, 'no head yet'])
  expect(first.warnings.join()).toMatch(/no old state to find the first block by/)
  expect((await report([server.url])).first.warnings).toEqual([])
  expect(first.provesState).toBe(true)
  server.on('eth_getProof', () => rpcError(-32601, 'the method does not exist'))
  expect((await report([server.url])).first.provesState).toBe(false)
  server.on('eth_getCode', () => '0x')
  expect((await report([server.url])).first.problems.join()).toMatch(/has no contract at 0x/)
})

test('refuses a plan that is not a number', async () => {
  await expect(check(['http://127.0.0.1:1'], { requestsPerSecond: 'many' })).rejects.toThrow(
    /must be a number above 0/,
  )
})
