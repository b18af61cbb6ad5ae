import fc from 'fast-check'
import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { hostilePayload } from '@attestry/test/abi/hostilePayload.ts'
import { parseHex, type Hex } from '../../model/hex.ts'
import { decodeAttestationRecord, decodeSchemaRecord } from './decodeEasRecord.ts'

// `string schema` is encoded as `bytes` is, which viem reads without loss.
const schemaParameters = parseAbiParameters([
  'SchemaRecord record',
  'struct SchemaRecord { bytes32 uid; address resolver; bool revocable; bytes schema; }',
])
const attestationParameters = parseAbiParameters([
  'Attestation attestation',
  'struct Attestation { bytes32 uid; bytes32 schema; uint64 time; uint64 expirationTime; uint64 revocationTime; bytes32 refUID; address recipient; address attester; bool revocable; bytes data; }',
])

const uint64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 2n ** 53n, 2n ** 64n - 1n),
)
const bytesOf = (minLength: number, maxLength: number): fc.Arbitrary<`0x${string}`> =>
  fc.uint8Array({ minLength, maxLength }).map((value) => toHex(value))
const hash = bytesOf(32, 32)
const address = bytesOf(20, 20)

const schema = fc
  .record({ uid: hash, resolver: address, revocable: fc.boolean(), schema: bytesOf(0, 70) })
  .map((struct) => hex(encodeAbiParameters(schemaParameters, [struct])))

const attestation = fc
  .record({
    uid: hash,
    schema: hash,
    time: uint64,
    expirationTime: uint64,
    revocationTime: uint64,
    refUID: hash,
    recipient: address,
    attester: address,
    revocable: fc.boolean(),
    data: bytesOf(0, 100),
  })
  .map((struct) => hex(encodeAbiParameters(attestationParameters, [struct])))

describe.each([
  ['a schema', schema, decodeSchemaRecord, readSchemaByViem],
  ['an attestation', attestation, decodeAttestationRecord, readAttestationByViem],
])('the struct of %s', (_, valid, decode, readByViem) => {
  test('is read as viem reads it', () => {
    fc.assert(
      fc.property(valid, (returned) => {
        expect(decode(returned)).toEqual({ kind: 'record', record: readByViem(returned) })
      }),
      { numRuns: 200 },
    )
  })

  test('is read from changed bytes exactly where viem, encoding what it reads, gives the same', () => {
    const counts = { record: 0, malformed: 0 }
    fc.assert(
      fc.property(hostilePayload(valid), (returned) => {
        const decoded = decode(returned)
        counts[decoded.kind]++
        const record = readByViem(returned)
        expect(decoded.kind === 'record' ? decoded.record : null).toEqual(record)
      }),
      { numRuns: 2000 },
    )
    expect(Math.min(counts.record, counts.malformed)).toBeGreaterThan(200)
  })
})

/** The struct with its addresses in lower case, or null if the bytes are not its canonical encoding. */
function readSchemaByViem(returned: Hex): unknown {
  try {
    const [struct] = decodeAbiParameters(schemaParameters, returned)
    if (encodeAbiParameters(schemaParameters, [struct]) !== returned) return null
    const text = Buffer.from(struct.schema.slice(2), 'hex').toString('utf8')
    return { ...struct, resolver: struct.resolver.toLowerCase(), schema: text }
  } catch {
    return null
  }
}

function readAttestationByViem(returned: Hex): unknown {
  try {
    const [struct] = decodeAbiParameters(attestationParameters, returned)
    if (encodeAbiParameters(attestationParameters, [struct]) !== returned) return null
    return {
      ...struct,
      recipient: struct.recipient.toLowerCase(),
      attester: struct.attester.toLowerCase(),
    }
  } catch {
    return null
  }
}

function hex(text: string): Hex {
  const parsed = parseHex(text)
  if (parsed === null) throw new Error(`${text} is no hex`)
  return parsed
}
