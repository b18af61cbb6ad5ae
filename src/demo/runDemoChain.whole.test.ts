import { type Log, parseEventLogs } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoAccount } from './demoAccounts.ts'
import { createDevClient, type DevClient } from './devChain.ts'
import { type DemoChain, type DemoProgress, runDemoChain } from './runDemoChain.ts'
import { signAbi } from './signAbi.ts'

const attestations = 150

describe('the demo chain', () => {
  let chain: DemoChain
  let client: DevClient
  const progress: DemoProgress[] = []
  beforeAll(async () => {
    chain = await runDemoChain({ schemas: 45, attestations, onProgress: (step) => progress.push(step) })
    client = createDevClient(chain.rpcUrl)
  })
  afterAll(() => chain?.stop())

  const events = async () => {
    const logs: Log[] = await client.getLogs({ fromBlock: 0n, toBlock: 'latest' })
    const { address } = chain.contracts[0]
    return parseEventLogs({ abi: signAbi, logs: logs.filter((log) => log.address === address.toLowerCase()) })
  }
  const countOf = async (name: string) => (await events()).filter((event) => event.eventName === name).length

  test('holds as many records as asked for, from the first block that it names on', async () => {
    const [{ startBlock }] = chain.contracts
    expect(await countOf('SchemaRegistered')).toBe(45)
    expect(await countOf('AttestationMade')).toBe(attestations)
    expect(Math.min(...(await events()).map((event) => Number(event.blockNumber)))).toBeGreaterThan(
      startBlock,
    )
    expect(progress.map(({ stage }) => stage)).toEqual(
      expect.arrayContaining(['compiling', 'starting', 'deploying', 'populating']),
    )
    expect(progress.at(-1)).toEqual({ stage: 'populating', attestations, of: attestations })
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

  test('has delegated attestations: the sender is not the attester', async () => {
    const [{ address }] = chain.contracts
    const senders = new Set<boolean>()
    for (const event of await events()) {
      if (event.eventName !== 'AttestationMade') continue
      const { from } = await client.getTransaction({ hash: event.transactionHash })
      const { attester } = await client.readContract({
        address: `0x${address.slice(2)}`,
        abi: signAbi,
        functionName: 'getAttestation',
        args: [event.args.attestationId],
      })
      senders.add(from === attester.toLowerCase())
    }
    expect(senders).toEqual(new Set([true, false]))
  })

  test('grows by a trickle until that is stopped, and mines what others send at once', async () => {
    const before = await countOf('AttestationMade')
    const stopping = new AbortController()
    const problems: string[] = []
    const trickling = chain.startTrickle(stopping.signal, (problem) => problems.push(problem))
    await expect.poll(() => countOf('AttestationMade'), { timeout: 20_000 }).toBeGreaterThan(before + 1)
    stopping.abort()
    await trickling
    expect(problems).toEqual([])
    const hash = await client.request({
      method: 'eth_sendTransaction',
      params: [{ from: demoAccount(0).address, to: demoAccount(1).address }],
    })
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
  })

  test('may go away while the trickle runs', async () => {
    const stopping = new AbortController()
    const problem = new Promise<string>((resolve) => {
      void chain.startTrickle(stopping.signal, resolve)
    })
    await chain.stop()
    expect(await problem).toContain('HTTP request failed')
    stopping.abort()
  })

  test.each(['compiling', 'starting', 'deploying', 'populating'] as const)(
    'stops cleanly while it is %s',
    async (stage) => {
      const stopping = new AbortController()
      const starting = runDemoChain({
        signal: stopping.signal,
        onProgress: (step) => {
          if (step.stage === stage) setImmediate(() => stopping.abort(new Error('enough')))
        },
      })
      await expect(starting).rejects.toThrow('enough')
    },
  )
})
