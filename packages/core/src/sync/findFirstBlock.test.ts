import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RpcMissingError, RpcUnreachableError } from '../errors/rpcErrors.ts'
import type { CodeAnswer } from '../chain/chainClient.ts'
import { parseAddress, type Address } from '../model/hex.ts'
import { findFirstBlock, isFirstBlock } from './findFirstBlock.ts'

const address = parseAddress(`0x${'ab'.repeat(20)}`) as Address
const { signal } = new AbortController()

/** A chain on which the contract's code stands from `first` on, asked of a node that has the states from `kept` on. */
function createStates(first: number, kept = 0) {
  const asked: number[] = []
  return {
    asked,
    fetchCode: async (_: Address, blockNumber: number) => {
      asked.push(blockNumber)
      if (blockNumber < kept) throw new RpcMissingError('missing trie node', { retryable: true })
      return { exists: blockNumber >= first, certainty: 'agreed', hosts: ['a', 'b'] } as const
    },
  }
}

test('the block that brought the code is found in about as many questions as the head has bits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(400_000_000), fc.nat(400_000_000), async (a, b) => {
      const [first, head] = [Math.min(a, b), Math.max(a, b)]
      const states = createStates(first)
      expect(await findFirstBlock(states, address, head, signal)).toMatchObject({
        kind: 'found',
        blockNumber: first,
      })
      expect(states.asked.length).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(head + 2)))
    }),
  )
})

test('a right hint is confirmed with two questions, and a wrong one costs no more than two', async () => {
  const states = createStates(7_000)
  expect(await findFirstBlock(states, address, 100_000, signal, 7_000)).toMatchObject({ blockNumber: 7_000 })
  expect(states.asked).toEqual([100_000, 7_000, 6_999])
  await fc.assert(
    fc.asyncProperty(fc.nat(100_000), fc.nat(200_000), async (first, hint) => {
      const asked = createStates(first)
      const found = await findFirstBlock(asked, address, 100_000, signal, hint)
      expect(found).toMatchObject({ kind: 'found', blockNumber: first })
      expect(asked.asked.length).toBeLessThanOrEqual(4 + Math.ceil(Math.log2(100_002)))
    }),
  )
})

test('a node that has pruned old states never makes the first block too late', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000), fc.nat(1_000), fc.nat(1_000), async (first, kept, more) => {
      const head = Math.max(first, kept) + more
      const hint = Math.min(kept, more)
      const answer = await findFirstBlock(createStates(first, kept), address, head, signal, hint)
      if (answer.kind === 'noContract') throw new Error('the contract stands there')
      expect(answer.blockNumber).toBeLessThanOrEqual(first)
      expect(answer.kind === 'unsure' || answer.blockNumber === first).toBe(true)
    }),
  )
})

test('a contract that does not exist yet is reported as such, and one created at the head is found', async () => {
  expect(await findFirstBlock(createStates(101), address, 100, signal)).toEqual({ kind: 'noContract' })
  expect(await findFirstBlock(createStates(100), address, 100, signal)).toMatchObject({
    kind: 'found',
    blockNumber: 100,
  })
})

test('an endpoint that does not answer is no reason to take a guess', async () => {
  const failing = {
    fetchCode: async (_: Address, blockNumber: number): Promise<CodeAnswer> => {
      if (blockNumber === 1000) return { exists: true, certainty: 'agreed', hosts: [] }
      throw new RpcUnreachableError('no answer', { retryable: true })
    },
  }
  await expect(findFirstBlock(failing, address, 1000, signal)).rejects.toBeInstanceOf(RpcUnreachableError)
})

test('a remembered first block holds while nothing stood there before it', async () => {
  expect(await isFirstBlock(createStates(50), address, 50, signal)).toBe(true)
  expect(await isFirstBlock(createStates(49), address, 50, signal)).toBe(false)
  expect(await isFirstBlock(createStates(10, 60), address, 50, signal)).toBe(true)
  expect(await isFirstBlock(createStates(0), address, 0, signal)).toBe(true)
})
