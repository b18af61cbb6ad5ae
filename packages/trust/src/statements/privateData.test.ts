import { describe, expect, test } from 'vitest'
import { readPrivateProof, revealedMax } from './privateData.ts'
import { findPrivateProof, privateRoot as root, privateValues, singleProof } from './testing/privateProofs.ts'

type Proof = ReturnType<typeof findPrivateProof>

/** A copy of a proof, to be changed. */
function prove(indexes: readonly number[]): Proof {
  return structuredClone(findPrivateProof(indexes))
}

/** The root that a readable proof leads to. */
function rootOf(proof: unknown): string | null {
  const read = readPrivateProof(proof)
  if (read.kind === 'unreadable') throw new TypeError(read.reason)
  return read.root
}

describe("a multiproof of EAS's PrivateData", () => {
  test.each([[[0]], [[1, 3]], [[4, 2, 0]], [[0, 1, 2, 3, 4]]])('leads to the root: values %j', (indexes) => {
    const proof = readPrivateProof(prove(indexes))
    if (proof.kind === 'unreadable') throw new TypeError(proof.reason)
    expect(proof.root).toBe(root)
    expect(proof.revealed.map(({ name }) => name).toSorted()).toEqual(
      indexes.map((index) => privateValues[index] ?? '').toSorted(),
    )
  })

  test('reveals values as payloads are decoded, however the holder writes them', () => {
    const { leaves } = prove([0])
    const type = 'tuple(address who, uint8[] levels)'
    const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    const value = { who: account.toLowerCase(), levels: [7, '007'] }
    const proof = readPrivateProof({
      leaves: [{ ...leaves[0], type, name: 'member', value }],
      proof: [],
      proofFlags: [],
    })
    expect(proof).toMatchObject({
      revealed: [
        {
          name: 'member',
          type,
          value: [
            { name: 'who', type: 'address', value: account },
            { name: 'levels', type: 'uint8[]', value: ['7', '7'] },
          ],
        },
      ],
    })
  })

  test('of too large a total is refused', () => {
    const type = `tuple(bool ${'a'.repeat(1_000)})[]`
    const value = Array(2_000).fill({ ['a'.repeat(1_000)]: true })
    const proof = { ...prove([0]), leaves: [{ ...prove([0]).leaves[0], type, value }] }
    expect(readPrivateProof(proof)).toEqual({
      kind: 'unreadable',
      reason: 'proof.leaves cannot be shown: the values would come to more than 1048576 characters',
    })
  })

  test.each([
    ['uint8[]', Array(4_096).fill(1)],
    ['uint8[][]', Array(60_000).fill([])],
  ])('of more values than a payload may have is refused before they are encoded: %s', (type, value) => {
    const proof = { ...prove([0]), leaves: [{ ...prove([0]).leaves[0], type, value }] }
    expect(readPrivateProof(proof)).toEqual({
      kind: 'unreadable',
      reason: 'proof.leaves hold more than 4096 values',
    })
  })

  test('of a tree of one value has no further node', () => {
    expect(rootOf(singleProof.proof)).toBe(singleProof.root)
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
        expect(rootOf(proof)).not.toBe(root)
      }
    },
  )

  test('leads nowhere with a node too few or too many, or with other flags', () => {
    const proof = prove([0, 1])
    const { proof: nodes, proofFlags: flags } = proof
    const wrong = [
      { ...proof, proof: nodes.slice(1) },
      { ...proof, proof: [...nodes, root] },
      { ...proof, proofFlags: flags.slice(1) },
      { ...proof, proofFlags: flags.map((flag) => !flag) },
      { ...proof, proofFlags: flags.map(() => true) },
    ]
    for (const one of wrong) expect(rootOf(one)).not.toBe(root)
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
    expect(readPrivateProof(proof)).toEqual({ kind: 'unreadable', reason: message })
  })
})

function withLeaf(change: object): unknown {
  const proof = prove([0])
  return { ...proof, leaves: [{ ...proof.leaves[0], ...change }] }
}
