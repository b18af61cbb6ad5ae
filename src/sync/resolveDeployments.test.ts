import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createChainClientFixture, failureOf } from '../../test/harness/chainClientFixture.ts'
import { rpcError, type CallHandler } from '../../test/harness/scriptedRpcServer.ts'
import { parseAddress } from '../model/hex.ts'
import type { ConfiguredDeployment } from '../protocols/deployments.ts'
import { findProtocol } from '../protocols/registry.ts'
import { migrateSqlite } from '../store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '../store/sqlite/openSqliteWriter.ts'
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

/** A chain of a million blocks whose `eth_getCode` the test answers, and an empty index of it. */
async function setUp(getCode: CallHandler) {
  const server = await fixture.startServer({ eth_getCode: getCode })
  const { client } = fixture.startClient([server.url], { callBudgetMs: 500 })
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
  return {
    server,
    logged,
    resolve: () => resolveDeployments([{ deployment, adapter }], { client, writer, log }, signal),
    open: (startBlock: number) =>
      writer.openChain({
        chainId: 7,
        name: 'Seven',
        contracts: [{ protocol: 'eas', address, schemaRegistry, startBlock }],
      }),
  }
}
