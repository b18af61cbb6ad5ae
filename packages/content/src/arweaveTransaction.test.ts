import { expect, test } from 'vitest'
import { readTransaction } from './arweaveTransaction.ts'
import transactions from './testing/arweaveTransactions.json' with { type: 'json' }

/** Made by the package `arweave` 1.15.7 with a key of 2,048 bits; the first is of format 1. */
const small = Buffer.from('{"name":"Ada","level":3}')
const dataOf = (size: number) =>
  size === small.length ? small : Uint8Array.from({ length: size }, (_, at) => at % 251)

const read = (transaction: object, id: string) =>
  readTransaction(Buffer.from(JSON.stringify(transaction)), id)

test.each(transactions.map((each) => [each.format ?? 1, Number(each.data_size), each] as const))(
  'a transaction of format %i tells its %i bytes from others',
  (_format, size, transaction) => {
    const isData = read(transaction, transaction.id)
    const data = dataOf(size)
    expect(isData?.(data)).toBe(true)
    const altered = Uint8Array.from(data)
    altered[size - 1] = 0
    expect(isData?.(altered)).toBe(false)
    expect(isData?.(data.subarray(0, -1))).toBe(false)
    expect(isData?.(Buffer.alloc(0))).toBe(false)
  },
)

const [first, second] = transactions
if (first === undefined || second === undefined) throw new TypeError('no transactions')

const altered: readonly [name: string, change: object][] = [
  ['the owner', { owner: first.owner.replace(/^./, 'A') }],
  ['no owner, as with other kinds of keys', { owner: '' }],
  ['the size of its data', { data_size: '25' }],
  ['the root of its data', { data_root: transactions[2]?.data_root }],
  ['the reward', { reward: '1' }],
  ['its tags', { tags: [] }],
  ['its target', { target: first.id }],
  ['the signature', { signature: first.signature }],
  ['a format that is not known', { format: 3 }],
  ['members of other types', { tags: [null], quantity: {} }],
]
test.each(altered)('a transaction with another value of %s is refused', (_name, change) => {
  expect(read({ ...second, ...change }, second.id)).toBeNull()
})

test('an altered transaction of format 1 has no data', () => {
  for (const change of [{ reward: '1' }, { tags: [] }, { owner: '' }, { quantity: '7' }]) {
    expect(read({ ...first, ...change }, first.id)?.(small)).toBe(false)
  }
})

test('a body that is no transaction, or a transaction with another id, is refused', () => {
  expect(read(first, second.id)).toBeNull()
  for (const body of ['', 'Pending', 'null', '[]', '{}', '<html>']) {
    expect(readTransaction(Buffer.from(body), second.id)).toBeNull()
  }
})
