import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { ProvableEvent, RecordProof } from '@attestry/core/model/recordProof.ts'
import { buildProof } from './buildProof.ts'
import { checkProof } from './checkProof.ts'
import { encodeBlock } from './encodeBlock.ts'
import { parseProof } from './parseProof.ts'
import { makeBlock, signLog, type MadeLog, type ReceiptShape } from './testing/madeBlock.ts'

const seed = Number(process.env['SEED'] ?? Date.now())
const contract = parseAddress(`0x${'11'.repeat(20)}`) ?? zeroAddress
const elsewhere = `0x${'22'.repeat(20)}`
const noise: MadeLog = { address: elsewhere, topics: [`0x${'99'.repeat(32)}`], data: '0x01' }
const made = signLog('AttestationMade', contract, 26n, 'key')
const revoked = signLog('AttestationRevoked', contract, 26n, 'late')

async function prove(
  shapes: readonly ReceiptShape[],
  wanted: Partial<ProvableEvent> & { readonly logIndex: number },
  forks = 6,
): Promise<RecordProof | null> {
  const block = await makeBlock(77, shapes, forks)
  const encoded = await encodeBlock(block.block, block.receipts)
  if (encoded.kind === 'unprovable') throw new Error(encoded.reason)
  return buildProof(encoded, {
    event: 'attestation',
    key: { chainId: 10, localId: localIdOfCounter(26n) },
    protocol: 'sign',
    position: eventPosition(77, wanted.logIndex),
    contracts: [contract],
    ...wanted,
  })
}

const block: readonly ReceiptShape[] = [
  { type: 0x7e, deposit: 'nonceAndVersion', logs: [] },
  { type: 2, logs: [noise, { ...made, address: elsewhere }, noise] },
  { type: 0, logs: [noise, made, revoked] },
  ...Array.from({ length: 20 }, (): ReceiptShape => ({ type: 2, logs: [noise] })),
]

describe('a proof', () => {
  test('carries the event from its block, and is valid', async () => {
    const proof = await prove(block, { logIndex: 4 })
    expect(proof).toMatchObject({
      id: 'onchain_evm_10_0x1a',
      transactionIndex: 2,
      logIndex: 4,
      receiptLogIndex: 1,
      log: made,
    })
    expect(await checkProof(proof!)).toEqual({ kind: 'valid' })
  })

  test('of a revocation is of its own log', async () => {
    const proof = await prove(block, { logIndex: 5, event: 'revocation' })
    expect(proof).toMatchObject({ transactionIndex: 2, receiptLogIndex: 2, log: revoked })
    expect(await checkProof(proof!)).toEqual({ kind: 'valid' })
  })

  test('is found where a node counts logs otherwise, but only from the contract', async () => {
    expect(await prove(block, { logIndex: 1 })).toMatchObject({ logIndex: 4, log: made })
    expect(await prove(block, { logIndex: 4, contracts: [] })).toBeNull()
    expect(await prove(block, { logIndex: 4, event: 'schema' })).toBeNull()
    expect(await prove(block, { logIndex: 4, protocol: 'eas' })).toBeNull()
    expect(
      await prove(block, { logIndex: 4, key: { chainId: 10, localId: localIdOfCounter(27n) } }),
    ).toBeNull()
  })

  test('holds for any receipt of a block of any size and fork', async () => {
    const shape = fc.record({
      type: fc.constantFrom(0, 1, 2, 3, 4, 0x7e, 0x6a),
      deposit: fc.constantFrom('nothing', 'nonce', 'nonceAndVersion'),
      logs: fc.array(fc.constant(noise), { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(shape, { maxLength: 300, size: 'max' }),
        fc.nat(),
        fc.nat(6),
        async (shapes, choice, forks) => {
          const at = choice % (shapes.length + 1)
          const all = shapes.toSpliced(at, 0, { type: 2, deposit: 'nothing', logs: [noise, made] })
          const logIndex = all.slice(0, at).reduce((sum, { logs }) => sum + logs.length, 1)
          const proof = await prove(all, { logIndex }, forks)
          expect(proof).toMatchObject({ transactionIndex: at, logIndex })
          expect(await checkProof(proof!)).toEqual({ kind: 'valid' })
          expect(parseProof(JSON.stringify(proof))).toEqual({ kind: 'proof', proof })
        },
      ),
      { seed, numRuns: 25, verbose: 1 },
    )
  })
})

describe('a proof that was tampered with', () => {
  test('is refused after any change', async () => {
    const proof = await prove(block, { logIndex: 4 })
    const places = leavesOf(proof).filter((path) => path.join('.') !== 'logIndex')
    expect(places.length).toBeGreaterThan(18)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.nat(), fc.nat(), async (path, where, how) => {
        const tampered = structuredClone(proof) as unknown as Node
        change(tampered, path, (value) => tamper(value, where, how))
        const text = JSON.stringify(tampered)
        fc.pre(text !== JSON.stringify(proof))
        const parsed = parseProof(text)
        if (parsed.kind === 'none') return
        const check = await checkProof(parsed.proof)
        expect(check.kind, text).toBe('invalid')
      }),
      { seed, numRuns: 1_500, verbose: 1 },
    )
  })

  test('is refused when parts of lists are left out, repeated or swapped', async () => {
    const proof = (await prove(block, { logIndex: 4 }))!
    const { receiptProof, log } = proof
    const first = receiptProof[0]!
    const lists = [[], receiptProof.slice(1), receiptProof.slice(0, -1), [first, ...receiptProof]]
    lists.push([...receiptProof, first], receiptProof.toReversed(), [...receiptProof, proof.block.headerRlp])
    for (const nodes of lists) {
      expect(await checkProof({ ...proof, receiptProof: nodes })).toMatchObject({ kind: 'invalid' })
    }
    for (const topics of [[], [...log.topics, ...log.topics]]) {
      expect(await checkProof({ ...proof, log: { ...log, topics } })).toMatchObject({ kind: 'invalid' })
    }
  })

  test('is refused when it is made up of parts of two valid ones', async () => {
    const [one, other] = [await prove(block, { logIndex: 4 }), await prove(block.slice(1), { logIndex: 4 })]
    for (const member of ['block', 'receiptProof', 'transactionIndex'] as const) {
      expect(await checkProof({ ...one!, [member]: other![member] })).toMatchObject({ kind: 'invalid' })
    }
    const revocation = await prove(block, { logIndex: 5, event: 'revocation' })
    for (const member of ['event', 'log', 'receiptLogIndex'] as const) {
      expect(await checkProof({ ...one!, [member]: revocation![member] })).toMatchObject({ kind: 'invalid' })
    }
  })

  test('is refused where its index in the block is impossible', async () => {
    const proof = (await prove(block, { logIndex: 4 }))!
    expect(await checkProof({ ...proof, logIndex: 0 })).toMatchObject({ kind: 'invalid' })
    const alone = (await prove([{ type: 2, logs: [noise, made] }], { logIndex: 1 }))!
    expect(await checkProof(alone)).toEqual({ kind: 'valid' })
    expect(await checkProof({ ...alone, logIndex: 2 })).toMatchObject({ kind: 'invalid' })
  })
})

type Node = { [member: string]: Node } | Node[] | string | number

/** The paths of all values in a proof that are neither lists nor objects. */
function leavesOf(node: unknown): string[][] {
  if (typeof node !== 'object' || node === null) return [[]]
  return Object.entries(node).flatMap(([member, value]) => leavesOf(value).map((path) => [member, ...path]))
}

function change(node: Node, [member = '', ...rest]: string[], edit: (value: Node) => Node): void {
  const members = node as Record<string, Node>
  if (rest.length === 0) members[member] = edit(members[member]!)
  else change(members[member]!, rest, edit)
}

/** A number becomes another; of a text a character is changed, removed, doubled, or its end cut off. */
function tamper(value: Node, where: number, how: number): Node {
  if (typeof value === 'number') return [value + 1, value - 1, value + 256, 2 ** 32 + value, 0][how % 5]!
  if (typeof value !== 'string') throw new TypeError('a leaf is a number or a text')
  const text = value
  // A proof does not prove the number of the chain.
  const at = text.startsWith('onchain') ? text.lastIndexOf('_') + (where % 5) : where % text.length
  switch (how % 5) {
    case 0:
      return `${text.slice(0, at)}${text.slice(at + 1)}`
    case 1:
      return `${text.slice(0, at)}${text[at]}${text.slice(at)}`
    case 2:
      return text.slice(0, at)
    case 3:
      return text.startsWith('0x')
        ? `${text.slice(0, 2 + 2 * (at >> 1))}${text.slice(4 + 2 * (at >> 1))}`
        : ''
    default: {
      const digit = '0123456789abcdef'[(Number.parseInt(text[at]!, 16) + 1 + (how >> 3)) % 16]
      return `${text.slice(0, at)}${digit ?? 'x'}${text.slice(at + 1)}`
    }
  }
}
