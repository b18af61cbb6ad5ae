import { createRequire } from 'node:module'
import type * as EasSdk from '@ethereum-attestation-service/eas-sdk'
import { describe, expect, test } from 'vitest'
import { readPrivateProof, revealedMax } from './privateData.ts'

const { PrivateData } = createRequire(import.meta.url)(
  '@ethereum-attestation-service/eas-sdk',
) as typeof EasSdk

const values = [
  { type: 'string', name: 'name', value: 'Ada' },
  { type: 'uint256', name: 'born', value: 18_151_210n },
  { type: 'address', name: 'account', value: '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5' },
  { type: 'bool', name: 'member', value: true },
  { type: 'bytes', name: 'note', value: '0x1234' },
].map((value, index) => ({ ...value, salt: `0x${String(index + 1).repeat(64)}` }))

const tree = new PrivateData(values)
const { root } = tree.getFullTree()

/** The proof as the SDK's user would store it. */
function prove(indexes: number[]): Record<string, unknown> & { leaves: Record<string, unknown>[] } {
  const text = JSON.stringify(tree.generateMultiProof(indexes), (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return JSON.parse(text) as ReturnType<typeof prove>
}

describe("a multiproof of EAS's PrivateData", () => {
  test.each([[[0]], [[1, 3]], [[4, 2, 0]], [[0, 1, 2, 3, 4]]])('leads to the root: values %j', (indexes) => {
    const proof = readPrivateProof(prove(indexes))
    expect(proof.root).toBe(root)
    expect(proof.revealed.map(({ name }) => name).toSorted()).toEqual(
      indexes.map((index) => values[index]?.name ?? '').toSorted(),
    )
  })

  test('of a tree of one value has no further node', () => {
    const single = new PrivateData(values.slice(0, 1))
    expect(readPrivateProof(single.generateMultiProof([0])).root).toBe(single.getFullTree().root)
  })

  test.each(['type', 'name', 'value', 'salt'])(
    'leads elsewhere where the %s of a leaf is changed',
    (member) => {
      const other = { type: 'bytes', name: 'other', value: '7', salt: `0x${'99'.repeat(32)}` }
      for (const index of [0, 1]) {
        const proof = prove([0, 1])
        const leaf = proof.leaves[index] ?? {}
        const isNumber = leaf['type'] === 'uint256'
        leaf[member] = member === 'type' && isNumber ? 'uint128' : other[member as keyof typeof other]
        if (member === 'type' && !isNumber) leaf['value'] = '0x'
        expect(readPrivateProof(proof).root).not.toBe(root)
      }
    },
  )

  test('leads nowhere with a node too few or too many, or with other flags', () => {
    const proof = prove([0, 1])
    const nodes = proof['proof'] as string[]
    const flags = proof['proofFlags'] as boolean[]
    const wrong = [
      { ...proof, proof: nodes.slice(1) },
      { ...proof, proof: [...nodes, root] },
      { ...proof, proofFlags: flags.slice(1) },
      { ...proof, proofFlags: flags.map((flag) => !flag) },
      { ...proof, proofFlags: flags.map(() => true) },
    ]
    for (const one of wrong) expect(readPrivateProof(one).root).not.toBe(root)
  })

  test.each([
    ['nothing', undefined, 'proof is missing'],
    [
      'no leaves',
      { leaves: [], proof: [root], proofFlags: [] },
      'proof.leaves is empty: a proof that reveals nothing proves nothing',
    ],
    [
      'too many leaves',
      { leaves: Array(revealedMax + 1).fill({}) },
      'proof.leaves has more than 1000 values',
    ],
    [
      'a type that does not exist',
      withLeaf({ type: 'number' }),
      'proof.leaves[0].type is no type of Solidity',
    ],
    ['a value of another type', withLeaf({ type: 'bool' }), 'proof.leaves[0].value is no value of its type'],
    ['a short salt', withLeaf({ salt: '0x12' }), 'proof.leaves[0].salt is not 0x and 64 hexadecimal digits'],
    ['no flags', { ...prove([0]), proofFlags: 7 }, 'proof.proofFlags is no list'],
  ])('is refused with %s', (_name, proof, message) => {
    expect(() => readPrivateProof(proof)).toThrow(message)
  })
})

function withLeaf(change: object): unknown {
  const proof = prove([0])
  return { ...proof, leaves: [{ ...proof.leaves[0], ...change }] }
}
