import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { signedHeaders } from '@attestry/hooks/signMessage.ts'
import { exportedRecords, followMessages } from '@attestry/hooks/testing/followMessages.ts'
import { startReceiver, testSecret } from '@attestry/hooks/testing/startReceiver.ts'
import { isNightly } from '../harness/nightly.ts'
import { runHere } from '../harness/runHere.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { createRandom } from '../simulator/random.ts'
import { createSimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer } from '../simulator/simulatorServer.ts'

let folder: string
const cleanups: (() => unknown)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-hooks-'))
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  rmSync(folder, { recursive: true, force: true })
})

function start(args: readonly string[]): SpawnedAttestry {
  const program = spawnAttestry(args, { cwd: folder, environment: { HOOK_SECRET: testSecret } })
  cleanups.push(() => program.child.kill('SIGKILL'))
  return program
}

test('a receiver knows the records of the index, however often the program is killed, and whatever is reorganised', async () => {
  const seed = 20_261_122
  const random = createRandom(seed)
  const chain = createSimulatedChain({ seed, chainId: 31_337 })
  chain.mine(30)
  const server = await startSimulatorServer(chain)
  cleanups.push(() => server.close())
  const receiver = await startReceiver((response) => {
    // Some messages are taken although the sender does not learn of it.
    if (random.chance(0.05)) response.destroy()
    else response.writeHead(random.chance(0.05) ? 500 : 204).end()
    return response.statusCode === 204 || response.destroyed
  })
  cleanups.push(() => receiver.close())
  const hook = (name: string, oddities: string) =>
    `  - { name: ${name}, url: "${receiver.url}", secret: "\${HOOK_SECRET}"${oddities} }\n`
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: sqlite:index.db\nserver: { workers: 1, explorer: false }\nchains:\n  - chainId: 31337\n    rpc: ["${server.url}"]\n` +
      `    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]\n    finality: 12\n` +
      `    pollIntervalMs: 100\nhooks:\n${hook('all', '')}`,
  )
  let program = start(['index'])
  await program.waitForLine(/indexing|reached the head/)
  for (let round = 0; round < (isNightly ? 6 : 1); round++) {
    for (let step = 0; step < 10; step++) {
      await delay(random.integer(5, 60))
      if (random.chance(0.3)) chain.reorganise(random.integer(1, 5), random.integer(2, 7))
      else chain.mine(random.integer(1, 3))
    }
    program.child.kill('SIGKILL')
    await program.waitForExit()
    program = start(['index'])
  }
  await program.waitForLine(/reached the head/)
  chain.mine(1)
  const environment = { HOOK_SECRET: testSecret }
  const known = () => JSON.stringify(followMessages(receiver.messages))
  let [seen, looks] = [0, 0]
  await vi.waitUntil(
    async () => {
      looks++
      if (looks % 10 === 0) await runHere(['hooks', 'resume', 'all'], folder, environment)
      // Each change of the index sends a message: only a new message calls for a new export.
      if (receiver.messages.length === seen) return false
      seen = receiver.messages.length
      const { stdout } = await runHere(['export'], folder, environment)
      return known() === JSON.stringify(exportedRecords(stdout.trimEnd().split('\n')))
    },
    { timeout: 60_000, interval: 200 },
  )
  expect(followMessages(receiver.messages).length).toBeGreaterThan(20)
  expect(program.stdout()).not.toContain('hidden')
})

test('messages are signed as the library of Standard Webhooks expects', () => {
  const message = { id: 'msg_1', body: '{"type":"chain.fresh"}' }
  const headers = signedHeaders(message, [testSecret], Math.floor(Date.now() / 1_000))
  expect(new Webhook(testSecret).verify(message.body, headers)).toEqual({ type: 'chain.fresh' })
  expect(() => new Webhook(testSecret).verify('{}', headers)).toThrow('signature')
})
