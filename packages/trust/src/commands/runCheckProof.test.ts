import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { ProofInvalidError, ProofMalformedError } from '@attestry/core/errors/proofErrors.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { RecordProof } from '@attestry/core/model/recordProof.ts'
import { buildProof } from '../proofs/buildProof.ts'
import { encodeBlock } from '../proofs/encodeBlock.ts'
import { makeBlock, signLog } from '../proofs/testing/madeBlock.ts'
import { runCheckProof } from './runCheckProof.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-proof-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const contract = parseAddress('0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5') ?? zeroAddress
const stdin = () => Readable.from([])

async function makeProof(): Promise<RecordProof> {
  const made = await makeBlock(77, [{ type: 2, logs: [signLog('AttestationMade', contract, 26n, 'key')] }], 6)
  const block = await encodeBlock(made.block, made.receipts)
  if (block.kind === 'unprovable') throw new Error(block.reason)
  const proof = await buildProof(block, {
    event: 'attestation',
    key: { chainId: 10, localId: localIdOfCounter(26n) },
    protocol: 'sign',
    position: eventPosition(77, 0),
    contracts: [contract],
  })
  if (proof === null) throw new Error('the block holds the event')
  return proof
}

function fileOf(content: unknown): string {
  const file = join(folder, 'proof.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

describe('a valid proof', () => {
  test('is reported with what it proves and what it leaves open', async () => {
    const proof = await makeProof()
    expect((await runCheckProof(fileOf(proof), {}, stdin())).join('\n')).toBe(`\
Valid. If you trust the block, you can trust this:
  attestation 0x1a was made with the protocol sign
  contract     0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5
  block        77 of 2025-06-15 15:07:40 UTC
  block hash   ${proof.block.hash}
  transaction  number 0 of the block, counted from 0
  log          number 0 of the transaction, counted from 0
Not proven:
  - that the block is part of chain 10: compare its hash with one that you trust (--block-hash)
  - that the contract is the one that you trust (--contract)
  - that the attestation has not been revoked since
  - what the attestation holds, beyond what its log says: an id, or with EAS a hash of it`)
  })

  test('may wear the envelope of its answer, and come from the standard input', async () => {
    const proof = await makeProof()
    const answer = JSON.stringify({ success: true, statusCode: 200, data: proof, message: 'ok' })
    const flags = { blockHash: proof.block.hash.toUpperCase().replace('0X', '0x'), contract }
    const lines = await runCheckProof('-', flags, Readable.from([answer]))
    expect(lines[0]).toBe('Valid. Its block is the one that you named.')
    expect(lines[2]).toBe('  contract     0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5, which you named')
    expect(lines.join('\n')).not.toMatch(/--block-hash|--contract/)
  })

  test('of another block or contract than was named is not valid', async () => {
    const file = fileOf(await makeProof())
    const otherHash = { blockHash: `0x${'11'.repeat(32)}` }
    await expect(runCheckProof(file, otherHash, stdin())).rejects.toThrow(/^The proof is of another block/)
    const otherContract = { contract: `0x${'11'.repeat(20)}` }
    await expect(runCheckProof(file, otherContract, stdin())).rejects.toThrow(ProofInvalidError)
  })
})

test('a proof that was changed is refused with the reason', async () => {
  const proof = await makeProof()
  const changed = { ...proof, id: 'onchain_evm_10_0x1b' }
  await expect(runCheckProof(fileOf(changed), {}, stdin())).rejects.toThrow(
    new ProofInvalidError(
      'The proof is not valid: the log is not the event of the attestation of onchain_evm_10_0x1b in the protocol sign',
    ),
  )
})

test.each([
  ['', 'it is no JSON object'],
  ['[]', 'it is no JSON object'],
  ['{}', 'it has no "format": "attestry-proof"'],
  ['{"success":false,"statusCode":404,"data":{},"message":"No such thing."}', 'No such thing.'],
  ['{"format":"attestry-proof","version":2}', 'another version'],
  ['{"format":"attestry-proof","version":1}', 'an event that is none of'],
])('%s is no proof', async (content, reason) => {
  const check = runCheckProof(fileOf(content), {}, stdin())
  await expect(check).rejects.toThrow(ProofMalformedError)
  await expect(check).rejects.toThrow(reason)
})

test('a file or an option that cannot be used is said to be so', async () => {
  const missing = runCheckProof(join(folder, 'missing.json'), {}, stdin())
  await expect(missing).rejects.toThrow(ConfigError)
  await expect(missing).rejects.toThrow(/does not exist/)
  await expect(runCheckProof(folder, {}, stdin())).rejects.toThrow(/is a folder/)
  await expect(runCheckProof('-', { blockHash: '0x12' }, stdin())).rejects.toThrow(ConfigError)
  await expect(runCheckProof('-', { contract: 'nobody' }, stdin())).rejects.toThrow(ConfigError)
})
