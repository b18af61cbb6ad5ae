import { expect, test } from 'vitest'
import type { StoredSchema } from '../../store/indexReader.ts'
import type { FieldCondition } from './condition.ts'
import { readWhere } from './condition.ts'
import { listNeedleConditions } from './needleConditions.ts'

const fields = ['string country', 'uint8 level', 'bytes32 round', 'bool ok', 'uint256 amount'].map(
  (field) => {
    const [type = '', name = ''] = field.split(' ')
    return { name, type }
  },
)
const schema = { attestationCount: 10_000, fieldsJson: JSON.stringify(fields) } as StoredSchema
const hash = `0x${'ab'.repeat(32)}`

function conditionsOf(needle: string, of: StoredSchema = schema): unknown[] {
  const test = readWhere('Attestation', { decodedDataJson: { contains: needle } }) as FieldCondition
  return listNeedleConditions([test], of).map(({ path, values }) => [path, values])
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
