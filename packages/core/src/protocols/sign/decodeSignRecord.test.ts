import fc from 'fast-check'
import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { hostilePayload } from '@attestry/test/abi/hostilePayload.ts'
import { parseHex, type Hex } from '../../model/hex.ts'
import { decodeAttestationRecord, decodeSchemaRecord } from './decodeSignRecord.ts'

// `string data` of a schema is encoded as `bytes` is, which viem reads without loss.
const schemaParameters = parseAbiParameters([
  'Schema schema',
  'struct Schema { address registrant; bool revocable; uint8 dataLocation; uint64 maxValidFor; address hook; uint64 timestamp; bytes data; }',
])
const attestationParameters = parseAbiParameters([
  'Attestation attestation',
  'struct Attestation { uint64 schemaId; uint64 linkedAttestationId; uint64 attestTimestamp; uint64 revokeTimestamp; address attester; uint64 validUntil; uint8 dataLocation; bool revoked; bytes[] recipients; bytes data; }',
])
const locations = ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM']

const uint64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 64n - 1n),
)
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((value) => toHex(value))
const bytes = fc.uint8Array({ maxLength: 100 }).map((value) => toHex(value))

const schema = fc
  .record({
    registrant: address,
    revocable: fc.boolean(),
    dataLocation: fc.nat(3),
    maxValidFor: uint64,
    hook: address,
    timestamp: uint64,
    data: bytes,
  })
  .map((struct) => hex(encodeAbiParameters(schemaParameters, [struct])))

const attestation = fc
  .record({
    schemaId: uint64,
    linkedAttestationId: uint64,
    attestTimestamp: uint64,
    revokeTimestamp: uint64,
    attester: address,
    validUntil: uint64,
    dataLocation: fc.nat(3),
    revoked: fc.boolean(),
    recipients: fc.array(bytes, { maxLength: 4 }),
    data: bytes,
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
      { numRuns: 300 },
    )
  })

  test('is read exactly where viem, encoding what it reads, gives the same bytes; else it is malformed', () => {
    const counts = { record: 0, malformed: 0 }
    fc.assert(
      fc.property(hostilePayload(valid), (returned) => {
        const decoded = decode(returned)
        const expected = readByViem(returned)
        expect(decoded.kind === 'record' ? decoded.record : null).toEqual(expected)
        counts[decoded.kind] += 1
      }),
      { numRuns: 2000 },
    )
    expect(Math.min(counts.record, counts.malformed)).toBeGreaterThan(200)
  })
})

test('a data location beyond CUSTOM makes a struct malformed', () => {
  const struct = {
    registrant: '0x00000000000000000000000000000000000000aa',
    revocable: true,
    dataLocation: 4,
    maxValidFor: 0n,
    hook: '0x0000000000000000000000000000000000000000',
    timestamp: 1n,
    data: '0x',
  } as const
  expect(decodeSchemaRecord(hex(encodeAbiParameters(schemaParameters, [struct])))).toEqual({
    kind: 'malformed',
    reason: 'byte 96 is not between 0 and 3',
  })
})

function readSchemaByViem(returned: Hex): unknown {
  const values = attempt(() => decodeAbiParameters(schemaParameters, returned))
  if (values === null || attempt(() => encodeAbiParameters(schemaParameters, values)) !== returned)
    return null
  const [struct] = values
  const dataLocation = locations[struct.dataLocation]
  if (dataLocation === undefined) return null
  return {
    ...struct,
    registrant: struct.registrant.toLowerCase(),
    hook: struct.hook.toLowerCase(),
    dataLocation,
    data: new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(struct.data.slice(2), 'hex')),
  }
}

function readAttestationByViem(returned: Hex): unknown {
  const values = attempt(() => decodeAbiParameters(attestationParameters, returned))
  if (values === null || attempt(() => encodeAbiParameters(attestationParameters, values)) !== returned)
    return null
  const [struct] = values
  const dataLocation = locations[struct.dataLocation]
  if (dataLocation === undefined) return null
  return { ...struct, attester: struct.attester.toLowerCase(), dataLocation }
}

function attempt<Value>(run: () => Value): Value | null {
  try {
    return run()
  } catch {
    return null
  }
}

function hex(text: string): Hex {
  const parsed = parseHex(text)
  if (parsed === null) throw new Error(`${text} is no hexadecimal`)
  return parsed
}
