import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DevTransaction } from '@attestry/demo/devChain.ts'
import { startLocalChain, type LocalChain } from '../harness/localChain.ts'
import { startRenumberingProxy } from '../harness/renumberingProxy.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'

/** Indexes of one chain whose endpoints number logs in different ways (docs/adr/0025). */

const folder = mkdtempSync(join(tmpdir(), 'attestry-log-indexes-'))
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
const names = ['block', 'transaction', 'changing', 'mixed'] as const
let chain: LocalChain

beforeAll(async () => {
  chain = await startLocalChain()
  cleanups.push(() => chain.stop())
  const proxies = await Promise.all([
    startRenumberingProxy(chain.url, 'transaction'),
    startRenumberingProxy(chain.url, 'changing'),
  ])
  cleanups.push(() => Promise.all(proxies.map((proxy) => proxy.close())))
  const [transaction, changing] = proxies.map(({ url }) => url)
  writeConfig('block', [chain.url])
  writeConfig('transaction', [transaction ?? ''])
  writeConfig('changing', [changing ?? ''])
  writeConfig('mixed', [transaction ?? '', chain.url, changing ?? ''])
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('are equal, before and after a kill and a reorganisation, and as the chain says', async () => {
  const [registrant, ...attesters] = [1, 2, 3, 4].map((index) => chain.account(index).address)
  if (registrant === undefined) throw new Error('no account')
  const text = '{"name":"Numbered","description":"","data":[{"name":"n","type":"string"}]}'
  await mine([1, 2, 3].map(() => chain.build.register({ registrant, data: text })))
  const attestTogether = async (indexingValue: string) => {
    const single = (attester: (typeof attesters)[number]) =>
      chain.build.attest({ schemaId: 1n, attester, indexingValue })
    const batch = chain.build.attestBatch(
      ['a', 'b', 'c'].map((part) => ({
        schemaId: 2n,
        attester: registrant,
        indexingValue: indexingValue + part,
      })),
    )
    await mine([...attesters.map(single), batch, single(registrant)])
  }
  await attestTogether('first')
  await mine([1n, 2n].map((id) => chain.build.revoke(attesters[Number(id) - 1] ?? registrant, id)))

  const running = names.map(start)
  await Promise.all(running.map(reachHead))
  for (const { child, waitForExit } of running) {
    child.kill('SIGKILL')
    await waitForExit()
  }
  await chain.rollback(1)
  await attestTogether('second')
  await chain.mine(2)

  const again = names.map(start)
  await Promise.all(again.map(reachHead))
  await chain.rollback(3)
  await attestTogether('third')
  await chain.mine(4)
  await Promise.all(again.map(reachHead))
  for (const { child, waitForExit } of again) {
    child.kill('SIGTERM')
    expect(await waitForExit()).toMatchObject({ code: 0 })
  }

  const exports = await Promise.all(names.map((name) => run(name, ['export', '--comparable'])))
  const [plain = ''] = exports
  expect(plain.split('\n').filter((line) => line.includes('"indexingValue":"third'))).toHaveLength(7)
  expect(plain).not.toContain('"indexingValue":"second')
  expect(exports).toEqual(names.map(() => plain))
  // Each against its own endpoints; a difference is an error of the command.
  for (const name of names) await run(name, ['verify', '--all'])
})

async function mine(transactions: readonly Promise<DevTransaction>[]): Promise<void> {
  const receipts = await chain.mineTogether(await Promise.all(transactions))
  expect(receipts.filter(({ status }) => status !== 'success')).toEqual([])
}

function start(name: string): SpawnedAttestry {
  const spawned = spawnAttestry(['start', '--config', `${name}.yaml`], { cwd: folder })
  cleanups.push(() => spawned.child.kill('SIGKILL'))
  return spawned
}

async function reachHead({ waitForLine }: SpawnedAttestry): Promise<void> {
  const serving = JSON.parse(await waitForLine(/"msg":"serving"/)) as { url: string }
  const head = await chain.headNumber()
  const status = async (): Promise<unknown> => {
    const answer = await fetch(`${serving.url}/scan/chains`)
    const { data } = (await answer.json()) as { data: { chains?: unknown; rows?: unknown } }
    return JSON.stringify(data)
  }
  await expect.poll(status).toContain(`"indexedBlock":${head}`)
}

async function run(name: string, args: readonly string[]): Promise<string> {
  const spawned = spawnAttestry([...args, '--config', `${name}.yaml`], { cwd: folder })
  const { code, stdout, stderr } = await spawned.waitForExit()
  expect({ name, code, stderr: code === 0 ? '' : stderr + stdout }).toEqual({ name, code: 0, stderr: '' })
  return stdout
}

function writeConfig(name: string, urls: readonly string[]): void {
  const lines = [
    `database: sqlite:${name}.db`,
    'server: { port: 0, workers: 1 }',
    'chains:',
    `  - chainId: ${chain.chainId}`,
    '    name: Numbered',
    `    rpc: ${JSON.stringify(urls)}`,
    '    finality: 8',
    '    pollIntervalMs: 100',
    `    contracts: [{ protocol: sign, address: "${chain.address}", startBlock: 0 }]`,
  ]
  writeFileSync(join(folder, `${name}.yaml`), lines.join('\n'))
}
