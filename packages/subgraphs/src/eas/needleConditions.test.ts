import fc from 'fast-check'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { listFieldLeaves, matchesField } from '@attestry/core/model/fieldValues.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { decodeIndexedPayload, lenientField } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import { parseSchemaString } from '@attestry/core/protocols/eas/parseSchemaString.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { FieldCondition } from '../engine/condition.ts'
import { readWhere } from '../engine/prisma/readWhere.ts'
import { attestationEntity } from './attestations.ts'
import { listNeedleConditions } from './needleConditions.ts'

const fields = ['string country', 'uint8 level', 'bytes32 round', 'bool ok', 'uint256 amount'].map(
  (field) => {
    const [type = '', name = ''] = field.split(' ')
    return { name, type }
  },
)
const schema = { attestationCount: 10_000, rawText: '', fieldsJson: JSON.stringify(fields) } as StoredSchema
const hash = `0x${'ab'.repeat(32)}`

function conditionsOf(needle: string, of: StoredSchema = schema): unknown[] {
  const test = readWhere({}, attestationEntity, { decodedDataJson: { contains: needle } }) as FieldCondition
  return listNeedleConditions([test], of, easInterface).map(({ path, values }) => [path, values])
}

test.each([
  ['{"name":"ok","type":"bool","value":true}', [[['ok'], ['true']]]],
  ['"name":"country","type":"string","value":"FR"', [[['country'], ['FR']]]],
  ['{"name":"level","type":"uint8","value":1}', [[['level'], ['1']]]],
  [`"name":"round","type":"bytes32","value":"${hash}`, [[['round'], [hash]]]],
  ['"name":"amount","type":"uint256","value":{"type":"BigNumber","hex":"0x1a82"}', [[['amount'], ['6786']]]],
  [
    '{"name":"ok","type":"bool","signature":"bool ok","value":{"name":"ok","type":"bool","value":false}}',
    [[['ok'], ['false']]],
  ],
])('%s asks for the value of a field', (needle, expected) => {
  expect(conditionsOf(needle)).toEqual(expected)
})

test.each([
  ['a value that goes on', '"name":"level","type":"uint8","value":1'],
  ['a text that goes on', '"name":"country","type":"string","value":"F'],
  ['a hash that goes on', '"name":"round","type":"bytes32","value":"0xabab'],
  ['a text that begins like a hash', `"name":"country","type":"string","value":"${hash}`],
  ['a wildcard', '"name":"country","type":"string","value":"F_"'],
  ['a field that the schema does not have', '"name":"city","type":"string","value":"FR"'],
  ['a value alone', '"value":"FR"'],
])('%s asks for nothing that the index of fields knows', (_name, needle) => {
  expect(conditionsOf(needle)).toEqual([])
})

test('members of tuples look like fields, and few payloads are read whole', () => {
  const needle = '"name":"country","type":"string","value":"FR"'
  const withTuple = JSON.stringify([...fields, { name: 'more', type: '(string country)' }])
  expect(conditionsOf(needle, { ...schema, fieldsJson: withTuple })).toEqual([])
  expect(conditionsOf(needle, { ...schema, attestationCount: 10 })).toEqual([])
})

test('schemas whose fields the index does not have, or has under other names, are read whole', () => {
  const needle = '"name":"country","type":"string","value":"FR"'
  const withNumber = JSON.stringify([...fields, { name: 'more', type: 'number' }])
  expect(conditionsOf(needle, { ...schema, fieldsJson: withNumber })).toEqual([])
  expect(conditionsOf(needle, { ...schema, rawText: 'string country,bytes32 ipfsHash' })).toEqual([])
})

const schemaText = 'string country, uint8 level,bytes32 round, bool ok,uint256 amount, address who'
const parsed = parseSchemaString(schemaText)
const knownSchema = { ...schema, rawText: schemaText, fieldsJson: JSON.stringify(parsed) }

const canonicalPayload = fc
  .record({
    country: fc.oneof(fc.constantFrom('', 'FR', '\ufeffFR', 'é"%_'), fc.string({ unit: 'binary' })),
    level: fc.integer({ min: 0, max: 255 }),
    ok: fc.boolean(),
    amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  })
  .map(({ country, level, ok, amount }) =>
    encodeAbiParameters(parseAbiParameters(schemaText), [
      country,
      level,
      hash as Hex,
      ok,
      amount,
      `0x${'ab'.repeat(20)}`,
    ]),
  )
/** Payloads with some bytes changed, or with more or fewer bytes. */
const anyPayload = fc
  .tuple(
    canonicalPayload,
    fc.array(fc.tuple(fc.nat(9 * 32), fc.constantFrom('00', '01', 'ff', 'c0')), { maxLength: 2 }),
    fc.constantFrom(0, -32, 32, 1),
  )
  .map(([payload, changes, longer]) => {
    let digits = payload.slice(2)
    for (const [at, byte] of changes) digits = digits.slice(0, at * 2) + byte + digits.slice(at * 2 + 2)
    return `0x${longer < 0 ? digits.slice(0, longer * 2) : digits + '00'.repeat(longer)}` as Hex
  })

test('whatever a payload holds, the index leads to it by each pair that is printed of it', () => {
  let [lenient, indexed] = [0, 0]
  fc.assert(
    fc.property(anyPayload, (data) => {
      const printed = easInterface.decodedDataFormat(schemaText)(data)
      const payload = decodeIndexedPayload({ protocol: 'eas', fields: parsed, data, dataLocation: 'ONCHAIN' })
      const leaves = payload.kind === 'decoded' ? listFieldLeaves(payload.values) : []
      const isLenient = leaves.some(({ path }) => path[0] === lenientField)
      if (printed !== '' && isLenient) lenient += 1
      for (const [needle] of printed.matchAll(/"name":"[a-z]+","type":"[a-z0-9]+","value":[^{][^}]*\}/g)) {
        const where = readWhere({}, attestationEntity, {
          decodedDataJson: { contains: needle },
        }) as FieldCondition
        for (const condition of listNeedleConditions([where], knownSchema, easInterface)) {
          indexed += 1
          expect(isLenient || matchesField(leaves, condition), needle).toBe(true)
        }
      }
    }),
    { numRuns: 2_000 },
  )
  expect(Math.min(lenient, indexed)).toBeGreaterThan(100)
})
