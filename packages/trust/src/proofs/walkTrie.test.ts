import { createMerkleProof, createMPT } from '@ethereumjs/mpt'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { fromRlp, toRlp, type Hex as ViemHex } from 'viem'
import { expect, test } from 'vitest'
import type { Hash, Hex } from '@attestry/core/model/hex.ts'
import { readRlp } from './readRlp.ts'
import { choosePath, nodesByHash, walkTrie } from './walkTrie.ts'

const seed = Number(process.env['SEED'] ?? Date.now())
const hexOf = (bytes: Uint8Array) => `0x${bytesToHex(bytes)}` as Hex

test('any key of any trie is found or absent, also among nodes that stand within others', async () => {
  const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength })
  await fc.assert(
    fc.asyncProperty(
      // Few keys of few nibbles, so that they share paths, and values that are short enough to be embedded.
      fc.dictionary(fc.stringMatching(/^(?:[0-3][0-3]){2}$/), bytes(1, 40), { minKeys: 1, maxKeys: 30 }),
      fc.stringMatching(/^(?:[0-3][0-3]){2}$/),
      async (entries, asked) => {
        const trie = await createMPT()
        for (const [key, value] of Object.entries(entries)) await trie.put(hexToBytes(key), value)
        const root = hexOf(trie.root()) as string as Hash
        for (const key of [...Object.keys(entries), asked]) {
          const told = (await createMerkleProof(trie, hexToBytes(key))).map(hexOf)
          const path = choosePath(root, `0x${key}` as Hex, nodesByHash([...told, '0x80' as Hex].toReversed()))
          const value = entries[key]
          expect(walkTrie(root, `0x${key}` as Hex, path ?? [])).toEqual(
            value === undefined ? { kind: 'absent' } : { kind: 'value', value: hexOf(value) },
          )
          const [first = '0x' as Hex] = path ?? []
          for (const nodes of [[], (path ?? []).slice(1), [...(path ?? []), first]]) {
            expect(walkTrie(root, `0x${key}` as Hex, nodes).kind).toBe('wrong')
          }
        }
      },
    ),
    { seed, numRuns: 60, verbose: 1 },
  )
})

test('bytes are read as RLP where they are the canonical encoding of an item', () => {
  const item = fc.letrec<{ item: unknown }>((tie) => ({
    item: fc.oneof(
      { maxDepth: 4 },
      fc.uint8Array({ maxLength: 70 }).map((bytes) => hexOf(bytes)),
      fc.array(tie('item'), { maxLength: 6 }),
    ),
  })).item
  fc.assert(
    fc.property(item, (value) => {
      expect(readRlp(toRlp(value as ViemHex) as Hex)).toEqual(value)
    }),
    { seed, numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const hex = hexOf(bytes)
      expect(readRlp(hex)).toEqual(readByLibrary(hex))
    }),
    { seed, numRuns: 3_000 },
  )
  expect(readRlp(`0x${'c1'.repeat(10_000)}` as Hex)).toBeNull()
})

/** The library also reads lengths that are not minimal. */
function readByLibrary(hex: Hex): unknown {
  try {
    const read = fromRlp(hex, 'hex')
    return toRlp(read) === hex ? read : null
  } catch {
    return null
  }
}
