import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createChainClientFixture, failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import { fakeBlock } from '@attestry/test/harness/fakeBlocks.ts'
import { rpcError, type CallHandler } from '@attestry/test/harness/scriptedRpcServer.ts'
import { parseAddress } from '../model/hex.ts'
import type { ConfiguredDeployment } from '../protocols/deployments.ts'
import { findProtocol } from '../protocols/registry.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { resolveDeployments } from './resolveDeployments.ts'

const fixture = createChainClientFixture()
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
  await fixture.stop()
})

const eas = `0x${'ea'.repeat(20)}`
const registry = `0x${'5c'.repeat(20)}`
const { signal } = new AbortController()

test('the first block of a protocol is the earliest of its contracts, and is asked for once', async () => {
  const { server, resolve, open } = await setUp(({ params }) =>
    Number(params[1]) >= (params[0] === eas ? 700_123 : 700_099) ? '0x60' : '0x',
  )
  const deployments = await resolve()
  expect(deployments.map(({ deployment }) => deployment.startBlock)).toEqual([700_099])
  await open(700_099)
  const asked = server.callsOf('eth_getCode').length
  expect(asked).toBeGreaterThan(20)
  expect((await resolve())[0]?.deployment.startBlock).toBe(700_099)
  // Whether the remembered block holds costs one question a contract.
  expect(server.callsOf('eth_getCode').length - asked).toBe(2)
})

test('a block that was spelled out too late earlier on is not taken for the first', async () => {
  const { resolve, open } = await setUp(({ params }) => (Number(params[1]) >= 5_000 ? '0x60' : '0x'))
  await open(6_000)
  expect((await resolve())[0]?.deployment.startBlock).toBe(5_000)
})

test('a node without old states has the whole chain read, and the log says why', async () => {
  const { resolve, logged } = await setUp(({ params }) =>
    Number(params[1]) > 999_000 ? '0x60' : rpcError(-32000, 'missing trie node 12ab (path )'),
  )
  expect((await resolve())[0]?.deployment.startBlock).toBe(0)
  expect(logged.join()).toContain('warn')
  expect(logged.join()).toContain('missing trie node')
})

test('an endpoint that does not know eth_getCode has the whole chain read, and the log says why', async () => {
  const { resolve, logged } = await setUp(() => rpcError(-32601, 'the method eth_getCode does not exist'))
  expect((await resolve())[0]?.deployment.startBlock).toBe(0)
  expect(logged.join()).toContain('the method eth_getCode does not exist')
})

test('a contract that is deployed later is waited for, and the error names it', async () => {
  let isDeployed = false
  const { resolve } = await setUp(({ params }) =>
    params[0] === registry || (isDeployed && Number(params[1]) >= 900_000) ? '0x60' : '0x',
  )
  const error = await failureOf(resolve())
  expect(error).toMatchObject({ code: 'CONTRACT_MISSING', retryable: true })
  expect(error.message).toContain(eas)
  isDeployed = true
  // The registry stands there from the beginning.
  expect((await resolve())[0]?.deployment.startBlock).toBe(0)
})

describe('an endpoint that hides the code at old blocks', () => {
  const lie = codeFrom(999_900)

  test('of two does not move the first block, and the log names both', async () => {
    const { resolve, logged } = await setUp(lie, codeFrom(5_000))
    expect((await resolve())[0]?.deployment.startBlock).toBe(5_000)
    expect(logged.join()).toMatch(/warn: the endpoints disagree about the first block.*127.0.0.1.*127.0.0.1/)
  })

  test('of three is outvoted', async () => {
    const { resolve, logged } = await setUp(lie, codeFrom(5_000), codeFrom(5_000))
    expect((await resolve())[0]?.deployment.startBlock).toBe(5_000)
    expect(logged.join()).not.toContain('warn')
  })

  test('stops the chain if an earlier run believed it', async () => {
    const { resolve, open } = await setUp(lie, codeFrom(5_000))
    await open(999_900)
    const error = await failureOf(resolve())
    expect(error).toMatchObject({ code: 'CHAIN_INCONSISTENT', retryable: true })
    expect(error.message).toContain('spell out startBlock')
  })

  test('is not believed while the other endpoint does not answer', async () => {
    const { resolve, open, servers } = await setUp(lie, codeFrom(5_000))
    servers[1]?.intercept(() => ({ kind: 'reset' }))
    expect(await failureOf(resolve())).toMatchObject({ code: 'RPC_UNCONFIRMED', retryable: true })
    // A remembered block is not given up for a silence, nor for one voice.
    await open(999_900)
    expect((await resolve())[0]?.deployment.startBlock).toBe(999_900)
  })

  test('is believed if it names the block that the program knows', async () => {
    const { resolve, servers } = await setUp(codeFrom(5_000), codeFrom(5_000))
    servers[1]?.intercept(() => ({ kind: 'reset' }))
    expect((await resolve(5_000))[0]?.deployment.startBlock).toBe(5_000)
  })

  test.each([
    ['the only one', []],
    ['the only one with old states', [() => rpcError(-32000, 'missing trie node 12ab (path )')]],
  ])('is refuted by a log before the block if it is %s', async (_, others) => {
    const { resolve, logged, servers } = await setUp(lie, ...others)
    servers[0]?.on('eth_getLogs', ({ params: [filter] }) =>
      isWithin(filter, 999_800) ? [logIn(999_800)] : [],
    )
    expect((await resolve())[0]?.deployment.startBlock).toBe(0)
    expect(logged.join()).toContain('which has a log in block 999800')
  })

  test('is believed as the only one, and the log says so', async () => {
    const { resolve, logged } = await setUp(lie)
    expect((await resolve())[0]?.deployment.startBlock).toBe(999_900)
    expect(logged.join()).toMatch(/warn: found the first block .* by the word of one endpoint/)
  })
})

/** Answers of `eth_getCode` of contracts that were deployed in a block. */
function codeFrom(first: number): CallHandler {
  return ({ params }) => (Number(params[1]) >= first ? '0x60' : '0x')
}

function isWithin(filter: unknown, blockNumber: number): boolean {
  const { fromBlock, toBlock } = filter as Record<'fromBlock' | 'toBlock', string>
  return Number(fromBlock) <= blockNumber && blockNumber <= Number(toBlock)
}

function logIn(blockNumber: number) {
  return {
    address: eas,
    topics: [`0x${'01'.repeat(32)}`],
    data: '0x',
    blockNumber: `0x${blockNumber.toString(16)}`,
    blockHash: fakeBlock(blockNumber)['hash'],
    transactionHash: `0x${'02'.repeat(32)}`,
    transactionIndex: '0x0',
    logIndex: '0x0',
    removed: false,
  }
}

/** A chain of a million blocks whose `eth_getCode` the test answers at each endpoint, and an empty index of it. */
async function setUp(...getCode: readonly CallHandler[]) {
  const servers = await Promise.all(
    getCode.map((answer) => fixture.startServer({ eth_getCode: answer, eth_getLogs: () => [] })),
  )
  const [server] = servers
  if (server === undefined) throw new Error('no endpoint')
  const urls = servers.map(({ url }) => url)
  const { client } = fixture.startClient(urls, { callBudgetMs: 500 })
  const folder = mkdtempSync(join(tmpdir(), 'attestry-first-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const writer = openSqliteWriter(path)
  cleanups.push(async () => {
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  const adapter = findProtocol('eas')
  const [address, schemaRegistry] = [parseAddress(eas), parseAddress(registry)]
  if (adapter === null || address === null || schemaRegistry === null) throw new Error('no EAS')
  const deployment: ConfiguredDeployment = {
    protocol: 'eas',
    chainId: 7,
    address,
    schemaRegistry,
    startBlock: null,
  }
  const logged: string[] = []
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`)
  const resolve = (startBlockHint?: number) => {
    const hint = startBlockHint === undefined ? {} : { startBlockHint }
    const known = { deployment: { ...deployment, ...hint }, adapter }
    return resolveDeployments([known], { client, writer, log }, signal)
  }
  return {
    server,
    servers,
    logged,
    resolve,
    open: (startBlock: number) =>
      writer.openChain({
        chainId: 7,
        name: 'Seven',
        contracts: [{ protocol: 'eas', address, schemaRegistry, startBlock }],
      }),
  }
}
