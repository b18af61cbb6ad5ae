import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAddress, parseHex, type Address, type Hex } from './hex.ts'
import { bloomMayContain, logsBloomOf } from './logsBloom.ts'

const seed = Number(process.env['SEED'] ?? Date.now())

/** A bloom by the yellow paper, 4.3.1: for each value, three bits from the low 11 bits of pairs of its hash's bytes. */
function makeBloom(values: readonly string[]): Hex {
  const bloom = new Uint8Array(256)
  for (const value of values) {
    const hash = Buffer.from(keccak_256(Buffer.from(value.slice(2), 'hex')))
    for (const pair of [0, 2, 4]) {
      const bit = hash.readUInt16BE(pair) % 2048
      const byte = 255 - Math.floor(bit / 8)
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit % 8))
    }
  }
  return toHex(`0x${Buffer.from(bloom).toString('hex')}`)
}

function toHex(text: string): Hex {
  const hex = parseHex(text)
  if (hex === null) throw new TypeError('no hex')
  return hex
}

function toAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === null) throw new TypeError('no address')
  return address
}

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((b) => toAddress(`0x${Buffer.from(b).toString('hex')}`))
const topics = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((b) => toHex(`0x${Buffer.from(b).toString('hex')}`))

test(`a bloom may contain whatever went into it (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.array(addresses, { minLength: 1 }), fc.array(topics, { minLength: 1 }), (made, events) => {
      const bloom = makeBloom([...made, ...events])
      for (const address of made) expect(bloomMayContain(bloom, [address], events)).toBe(true)
      for (const topic of events) expect(bloomMayContain(bloom, made, [topic])).toBe(true)
    }),
    { seed },
  )
})

test(`the bloom of logs is that of their addresses and topics (seed ${seed})`, () => {
  const log = fc.record({ address: addresses, topics: fc.array(topics, { maxLength: 4 }) })
  fc.assert(
    fc.property(fc.array(log), (logs) => {
      expect(logsBloomOf(logs)).toBe(makeBloom(logs.flatMap((each) => [each.address, ...each.topics])))
    }),
    { seed },
  )
})

test('a bloom that lacks the address or the topic does not', () => {
  const address = toAddress(`0x${'11'.repeat(20)}`)
  const other = toAddress(`0x${'22'.repeat(20)}`)
  const topic = toHex(`0x${'33'.repeat(32)}`)
  const otherTopic = toHex(`0x${'44'.repeat(32)}`)
  const bloom = makeBloom([address, topic])
  expect(bloomMayContain(bloom, [other], [topic])).toBe(false)
  expect(bloomMayContain(bloom, [address], [otherTopic])).toBe(false)
  expect(bloomMayContain(bloom, [other, address], [otherTopic, topic])).toBe(true)
  expect(bloomMayContain(toHex(`0x${'00'.repeat(256)}`), [address], [topic])).toBe(false)
})

test('no addresses, or no topics, match any', () => {
  const address = toAddress(`0x${'11'.repeat(20)}`)
  expect(bloomMayContain(makeBloom([address]), [address], [])).toBe(true)
  expect(bloomMayContain(makeBloom([address]), [], [])).toBe(true)
})
