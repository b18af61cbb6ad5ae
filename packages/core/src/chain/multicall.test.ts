import fc from 'fast-check'
import { decodeFunctionResult, encodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem'
import { expect, test } from 'vitest'
import { parseAddress, parseHex, type Hex } from '../model/hex.ts'
import { decodeAggregate3, encodeAggregate3 } from './multicall.ts'

const hex = (bytes: Uint8Array): Hex => {
  const parsed = parseHex(`0x${Buffer.from(bytes).toString('hex')}`)
  if (parsed === null) throw new TypeError('no hex')
  return parsed
}
const bytes = fc.uint8Array({ maxLength: 100 })
const address = fc.uint8Array({ minLength: 20, maxLength: 20 })
const seed = Number(process.env['SEED'] ?? Date.now())

test(`the calldata is that of viem (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(address, bytes), { maxLength: 8 }), (calls) => {
      const reads = calls.map(([to, data]) => {
        const target = parseAddress(hex(to))
        if (target === null) throw new TypeError('no address')
        return { to: target, data: hex(data) }
      })
      const expected = encodeFunctionData({
        abi: multicall3Abi,
        functionName: 'aggregate3',
        args: [reads.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))],
      })
      expect(encodeAggregate3(reads)).toBe(expected)
    }),
    { seed },
  )
})

test(`results come out as they went in (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), bytes), { maxLength: 8 }), (pairs) => {
      const results = pairs.map(([success, data]) => ({ success, returnData: hex(data) }))
      const encoded = parseHex(
        encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results }),
      )
      expect(decodeAggregate3(encoded ?? hex(new Uint8Array()), results.length)).toEqual(
        results.map(({ success, returnData }) => ({
          kind: success ? 'returned' : 'reverted',
          data: returnData,
        })),
      )
    }),
    { seed },
  )
})

test(`what viem cannot decode is null or what was meant, never an exception (seed ${seed})`, () => {
  const good = encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: [
      { success: true, returnData: '0x1234' },
      { success: false, returnData: '0x' },
    ],
  })
  fc.assert(
    fc.property(
      fc.nat(good.length - 3),
      fc.integer({ min: 0, max: 15 }),
      fc.nat(good.length),
      (at, digit, cut) => {
        const broken = good.slice(0, 2 + at) + digit.toString(16) + good.slice(3 + at)
        for (const text of [broken, broken.slice(0, 2 + Math.floor(Math.max(0, cut - 2) / 2) * 2)]) {
          const data = parseHex(text)
          if (data === null) throw new TypeError('no hex')
          const decoded = decodeAggregate3(data, 2)
          if (decoded === null) continue
          const expected = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
          expect(decoded.map((result) => result.data)).toEqual(expected.map((result) => result.returnData))
        }
      },
    ),
    { seed },
  )
})

test('the number of results must be that of the reads', () => {
  const encoded = parseHex(
    encodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      result: [{ success: true, returnData: '0x' }],
    }),
  )
  expect(decodeAggregate3(encoded ?? hex(new Uint8Array()), 2)).toBeNull()
})
