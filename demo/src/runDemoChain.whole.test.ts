import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoAccount } from './demoAccounts.ts'
import type { DemoProtocol } from './demoProtocol.ts'
import { agentDemo } from './agentDemo.ts'
import { combineDemos } from './combineDemos.ts'
import { createDevClient, type DevClient } from './devChain.ts'
import { easDemo } from './easDemo.ts'
import { type DemoChain, type DemoProgress, runDemoChain } from './runDemoChain.ts'
import { signDemo } from './signDemo.ts'
import { veraxDemo } from './veraxDemo.ts'

const attestations = 150
const { address: registrar } = demoAccount(0)

describe('the demo chain of Sign Protocol', () => {
  describeChain(signDemo)
})
describe('the demo chain of EAS, Verax and ERC-8004', () => {
  describeChain(combineDemos(easDemo, veraxDemo, agentDemo))
})

function describeChain<Id>(protocol: DemoProtocol<Id>): void {
  let chain: DemoChain
  let client: DevClient
  let living: Promise<void>
  const stopping = new AbortController()
  const progress: DemoProgress[] = []
  const problems: string[] = []
  beforeAll(async () => {
    chain = await runDemoChain(protocol, { attestations })
    client = createDevClient(chain.rpcUrl)
    const populated = Promise.withResolvers<void>()
    living = chain.live(stopping.signal, {
      onProgress: (step) => {
        progress.push(step)
        if (step.stage === 'living') populated.resolve()
      },
      onProblem: (problem) => problems.push(problem),
    })
    await Promise.race([populated.promise, living])
  })
  afterAll(() => chain?.stop())

  /** The number of logs of the contracts that are indexed. */
  const countLogs = async () => {
    const logs = await client.getLogs({
      address: protocol.contracts.map(({ address }) => address),
      fromBlock: 0n,
      toBlock: 'latest',
    })
    return logs.length
  }

  test('deploys to the addresses announced before, and reports the history as it grows', async () => {
    for (const { address } of chain.contracts) {
      expect((await client.getCode({ address }))?.length).toBeGreaterThan(2)
    }
    expect(await countLogs()).toBeGreaterThan(attestations)
    expect(progress[0]).toEqual({ stage: 'deploying' })
    expect(progress.at(-2)).toEqual({ stage: 'populating', attestations, of: attestations })
  })

  test('has a history of sixty days that ends now', async () => {
    const [genesis, newest] = await Promise.all([
      client.getBlock({ blockNumber: 0n }),
      client.getBlock({ blockTag: 'latest' }),
    ])
    const nowS = Date.now() / 1000
    expect(Math.abs(Number(newest.timestamp) - nowS)).toBeLessThan(60)
    expect(Math.abs(Number(genesis.timestamp) - (nowS - 60 * 86_400))).toBeLessThan(120)
  })

  test('grows until that is stopped, and mines what others send at once', async () => {
    const before = await countLogs()
    await expect.poll(countLogs).toBeGreaterThan(before + 1)
    stopping.abort()
    await living
    expect(problems).toEqual([])
    const hash = await client.request({
      method: 'eth_sendTransaction',
      params: [{ from: registrar, to: demoAccount(1).address }],
    })
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
  })
}

test('a chain that goes away while its history is made is a failure, unless it was asked to stop', async () => {
  const chain = await runDemoChain(easDemo)
  const living = chain.live(new AbortController().signal)
  await Promise.all([chain.stop(), expect(living).rejects.toThrow('HTTP request failed')])
})

test.each(['deploying', 'populating'] as const)('a chain stops cleanly while it is %s', async (stage) => {
  const stopping = new AbortController()
  const chain = await runDemoChain(signDemo, { signal: stopping.signal })
  const living = chain.live(stopping.signal, {
    onProgress: (step) => {
      if (step.stage === stage) setImmediate(() => stopping.abort())
    },
  })
  await expect(living).resolves.toBeUndefined()
  await chain.stop()
})
