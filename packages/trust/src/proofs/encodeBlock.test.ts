import { describe, expect, test } from 'vitest'
import { encodeBlock } from './encodeBlock.ts'
import { encodeReceipt } from './encodeReceipt.ts'
import { readReceipt } from './readReceipt.ts'
import { createReceiptTrie } from './receiptTrie.ts'
import { makeBlock, makeHeader, signLog, type ReceiptShape } from './testing/madeBlock.ts'
import { makeBloom } from './testing/makeBloom.ts'
import { optimismReceipts } from './testing/optimismReceipts.ts'

const log = signLog('AttestationMade', `0x${'11'.repeat(20)}`, 26n, 'key')

describe('the root of a block of receipts', () => {
  test('of no receipts is that of the empty trie', async () => {
    expect((await createReceiptTrie([])).root).toBe(
      '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    )
  })

  // Between Regolith and Canyon nodes told a nonce that was not hashed.
  test.each([{}, { depositNonce: '0x3d3bbf' }])('of OP Goerli is that of its block', async (deposit) => {
    const encoded = optimismReceipts.map(({ type, gas, logs }) =>
      encodeReceipt({
        type,
        status: '0x1',
        cumulativeGasUsed: `0x${gas.toString(16)}`,
        logsBloom: makeBloom(logs.flatMap(([address, topics]) => [address, ...topics])),
        logs: logs.map(([address, topics, data]) => ({ address, topics, data })),
        ...(type === '0x7e' ? deposit : {}),
      }),
    )
    const { root } = await createReceiptTrie(encoded.map((receipt) => receipt!.bytes))
    expect(root).toBe('0xe255fed45eae7ede0556fe4fabc77b0d294d18781a5a581cab09127bc4cd9ffb')
  })

  test('of one receipt with an access list is that which other clients compute', async () => {
    const receipt = encodeReceipt({
      type: '0x1',
      status: '0x1',
      cumulativeGasUsed: '0x18eb4',
      logsBloom: `0x${'00'.repeat(255)}01`,
      logs: [{ address: `0x${'00'.repeat(20)}`, topics: [], data: '0x' }],
    })
    expect((await createReceiptTrie([receipt!.bytes])).root).toBe(
      '0xfe70ae4a136d98944951b2123859698d59ad251a381abc9960fa81cae3d0d4a0',
    )
  })
})

const shapes: readonly (readonly [string, ReceiptShape])[] = [
  ['legacy', { type: 0, logs: [log] }],
  ['legacy, before Byzantium', { type: 0, isOld: true, logs: [log] }],
  ['access list', { type: 1, logs: [log] }],
  ['dynamic fee', { type: 2, logs: [log, log] }],
  ['blob', { type: 3, logs: [log] }],
  ['set code', { type: 4, logs: [log] }],
  ['deposit', { type: 0x7e, logs: [log] }],
  ['deposit since Regolith', { type: 0x7e, deposit: 'nonce', logs: [log] }],
  ['deposit since Canyon', { type: 0x7e, deposit: 'nonceAndVersion', logs: [log] }],
  ['internal, on Arbitrum', { type: 0x6a, logs: [log] }],
]

describe('a receipt', () => {
  test.each(shapes)('of the type %s reads back as its logs', (_name, shape) => {
    const [receipt] = [shape].map(({ type, logs, isOld, deposit }) => ({
      type: `0x${type.toString(16)}`,
      ...(isOld === true ? { root: `0x${'12'.repeat(32)}` } : { status: '0x0' }),
      cumulativeGasUsed: '0x5208',
      logsBloom: `0x${'00'.repeat(256)}`,
      logs,
      ...(deposit === undefined ? {} : { depositNonce: '0x1' }),
      ...(deposit === 'nonceAndVersion' ? { depositReceiptVersion: '0x1' } : {}),
    }))
    const encoded = encodeReceipt(receipt!)
    expect(encoded?.type).toBe(shape.type)
    expect(encoded === null ? null : readReceipt(encoded.bytes)).toEqual(shape.logs)
  })

  test('says no type where nodes are from before there were types', () => {
    const members = { status: '0x1', cumulativeGasUsed: '0x1', logsBloom: `0x${'00'.repeat(256)}`, logs: [] }
    expect(encodeReceipt(members)).toEqual(encodeReceipt({ ...members, type: '0x0' }))
  })

  test.each(['cumulativeGasUsed', 'logs', 'status'])('without %s is of no known form', (member) => {
    const members = {
      status: '0x1',
      cumulativeGasUsed: '0x1',
      logsBloom: `0x${'00'.repeat(256)}`,
      logs: [log],
    }
    expect(encodeReceipt(members)).not.toBeNull()
    expect(encodeReceipt({ ...members, [member]: undefined })).toBeNull()
    expect(encodeReceipt({ ...members, [member]: '0xzz' })).toBeNull()
    expect(encodeReceipt({ ...members, logs: [{ ...log, topics: ['0x12'] }] })).toBeNull()
  })
})

test('a receipt without a bloom has that of its logs', () => {
  const members = { status: '0x1', cumulativeGasUsed: '0x1', logs: [log] }
  const logsBloom = makeBloom([log.address, ...log.topics])
  expect(encodeReceipt(members)).toEqual(encodeReceipt({ ...members, logsBloom }))
})

describe('a block', () => {
  test('whose node left out the blooms has those of its logs', async () => {
    const made = await makeBlock(5, [{ type: 2, logs: [] }], 6)
    const without = <Members extends object>(members: Members) => ({ ...members, logsBloom: null })
    const encoded = await encodeBlock(without(made.block), made.receipts.map(without))
    expect(encoded).toMatchObject({ kind: 'encoded', header: { hash: made.block['hash'] } })
  })

  test('with receipts of all types gives the root of its header', async () => {
    const made = await makeBlock(
      5,
      shapes.map(([, shape]) => shape),
      6,
    )
    const encoded = await encodeBlock(made.block, made.receipts)
    expect(encoded.kind === 'encoded' ? encoded.logsOfReceipts : encoded.reason).toEqual(
      shapes.map(([, shape]) => shape.logs),
    )
  })

  test('leaves out a receipt of the node that is not part of the block', async () => {
    const made = await makeBlock(5, [{ type: 2, logs: [log] }], 1)
    const system = { ...made.receipts[0], from: `0x${'00'.repeat(20)}`, gasUsed: '0x0', type: '0x0' }
    expect((await encodeBlock(made.block, [...made.receipts, system])).kind).toBe('encoded')
    expect(await encodeBlock(made.block, [...made.receipts, made.receipts[0]!])).toEqual({
      kind: 'unprovable',
      reason: 'has receipts that do not give the root that its header names',
    })
  })

  test('of a form that is not known proves nothing, and says so', async () => {
    const made = await makeBlock(5, [{ type: 2, logs: [log] }], 6)
    const reasonOf = async (...given: Parameters<typeof encodeBlock>) => {
      const encoded = await encodeBlock(...given)
      return encoded.kind === 'unprovable' ? encoded.reason : null
    }
    const [receipt] = made.receipts
    expect(
      await reasonOf({ ...made.block, extraSeal: '0x1', hash: `0x${'33'.repeat(32)}` }, made.receipts),
    ).toBe('has a header of a form that is not known here')
    expect(await reasonOf(made.block, [{ ...receipt, logs: null }])).toBe(
      'has a receipt (0) of a form that is not known here',
    )
    expect(await reasonOf(made.block, [{ ...receipt, type: '0x7b' }])).toBe(
      'has receipts of type 0x7b, whose form is not known here',
    )
    expect(await reasonOf(made.block, [{ ...receipt, type: '0x80' }])).toBe(
      'has a receipt (0) of a form that is not known here',
    )
    expect(await reasonOf(made.block, [])).toBe(
      'has receipts that do not give the root that its header names',
    )
    expect(await reasonOf(makeHeader(5, `0x${'44'.repeat(32)}`, 6), made.receipts)).toBe(
      'has receipts that do not give the root that its header names',
    )
  })
})
