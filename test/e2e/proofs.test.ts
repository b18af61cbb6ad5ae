import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { RecordProof } from '@attestry/core/model/recordProof.ts'
import { startLocalChain, type LocalChain } from '../harness/localChain.ts'
import { runHere, type RanCommand } from '../harness/runHere.ts'
import { spawnAttestry } from '../harness/spawnAttestry.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-proofs-'))
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
let chain: LocalChain
let url = ''

beforeAll(async () => {
  chain = await startLocalChain()
  cleanups.push(() => chain.stop())
  const attester = chain.account(1).address
  const { schemaId } = await chain.register({ registrant: attester, data: '{}' })
  await chain.attestBatch(Array.from({ length: 5 }, () => ({ schemaId, attester })))
  await chain.revoke(attester, 2n, 'no more')
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: sqlite:index.db
server: { workers: 1, proofBlocksPerMinute: 32 }
chains:
  - chainId: ${chain.chainId}
    rpc: ["${chain.url}"]
    contracts: [{ protocol: sign, address: "${chain.address}", startBlock: ${chain.startBlock} }]
    pollIntervalMs: 50
`,
  )
  url = await serve('start')
  await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, { timeout: 60_000 })
})
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup()
})

test('the proof that the service serves is valid for check-proof without the service', async () => {
  for (const [path, words] of [
    ['schemas/onchain_evm_31337_0x1/proof', 'schema 0x1 was registered'],
    ['attestations/onchain_evm_31337_0x3/proof', 'attestation 0x3 was made'],
    ['attestations/onchain_evm_31337_0x2/proof', 'attestation 0x2 was made'],
    ['attestations/onchain_evm_31337_0x2/proof?event=revocation', 'attestation 0x2 was revoked'],
  ] as const) {
    const answer = await fetch(`${url}/scan/${path}`)
    expect(answer.status).toBe(200)
    const text = await answer.text()
    const { data } = JSON.parse(text) as { data: RecordProof }
    const block = await chain.client.getBlock({ blockNumber: BigInt(data.block.number) })
    const trusted = ['--block-hash', block.hash, '--contract', chain.address]
    const checked = await check(text, trusted)
    expect(checked).toMatchObject({ code: 0, stderr: '' })
    expect(checked.stdout).toContain('Valid. Its block is the one that you named.')
    expect(checked.stdout).toContain(words)

    const other = await chain.client.getBlock({ blockNumber: BigInt(data.block.number - 1) })
    expect(await check(text, ['--block-hash', other.hash])).toMatchObject({ code: 1, stdout: '' })
  }
})

test('check-proof exits with 1 for an altered proof, and with 2 for a file that is not a proof', async () => {
  const text = await (await fetch(`${url}/scan/attestations/onchain_evm_31337_0x3/proof`)).text()
  const changed = text.replace('onchain_evm_31337_0x3', 'onchain_evm_31337_0x4')
  expect(await check(changed, [])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'attestry: The proof is not valid: the log is not the event of the attestation of onchain_evm_31337_0x4 in the protocol sign\n',
  })
  const missing = await (await fetch(`${url}/scan/attestations/onchain_evm_31337_0xff/proof`)).text()
  expect(await check(missing, [])).toMatchObject({ code: 2, stdout: '' })
  expect(await check('nothing', [])).toMatchObject({ code: 2, stdout: '' })
})

test('a block is fetched once, and no more blocks than the configuration allows', async () => {
  const attester = chain.account(2).address
  for (let number = 6; number <= 17; number++) await chain.attest({ schemaId: 1n, attester })
  await vi.waitUntil(
    async () => (await fetch(`${url}/scan/attestations/onchain_evm_31337_0x11`)).status === 200,
    { timeout: 60_000 },
  )
  const ask = async (number: number) =>
    (await fetch(`${url}/scan/attestations/onchain_evm_31337_0x${number.toString(16)}/proof`)).status
  const kept = [1, 4, 5]
  for (const number of kept) expect(await ask(number)).toBe(200)
  // Unproved blocks for at least three minutes of the budget: how many requests pass depends on the time since the
  // tests before.
  const fresh: number[] = []
  for (let number = 6; number <= 17; number++) fresh.push(await ask(number))
  expect(new Set(fresh)).toEqual(new Set([200, 503]))
  for (const number of kept) expect(await ask(number)).toBe(200)
})

test('a server without endpoints says so', async () => {
  const bare = await serve('serve', ['--config', 'none.yaml'])
  const answer = await fetch(`${bare}/scan/attestations/onchain_evm_31337_0x3/proof`)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toEqual({
    success: false,
    statusCode: 503,
    data: {},
    message:
      'This server is not connected to chain 31337, so that it cannot make proofs of what happened there.',
  })
})

/** Starts the program; resolves with the URL of the API. */
async function serve(command: 'start' | 'serve', args: readonly string[] = []): Promise<string> {
  writeFileSync(
    join(folder, 'none.yaml'),
    `database: sqlite:index.db
chains:
  - chainId: 31337
    rpc: ["\${ABSENT_RPC}"]
    contracts: [{ protocol: sign, address: "${chain.address}", startBlock: 0 }]
`,
  )
  const program = spawnAttestry([command, '--port', '0', ...args], { cwd: folder })
  cleanups.push(() => program.child.kill('SIGKILL'))
  const line = await program.waitForLine(/"msg":"serving"/)
  return (JSON.parse(line) as { url: string }).url
}

async function check(text: string, args: readonly string[]): Promise<RanCommand> {
  writeFileSync(join(folder, 'proof.json'), text)
  return await runHere(['check-proof', 'proof.json', ...args], folder)
}
