import { expect, test } from 'vitest'
import { parseVeraxSchema } from './parseVeraxSchema.ts'

const human = { name: 'isHuman', type: 'bool' }
const score = { name: 'score', type: 'uint8' }

test.each([
  ['(bool isHuman, uint8 score)', [human, score]],
  ['bool isHuman, uint8 score', [human, score]],
  [' ( bool isHuman , uint8 score ) ', [human, score]],
  ['(isHuman bool, score uint8)', [human, score]],
  ['isHuman bool,uint8 score', [human, score]],
  ['(bool isHuman)', [human]],
  ['bool isHuman', [human]],
  ['bool', [{ name: '', type: 'bool' }]],
  ['(uint8 a, bytes32 b) pair', [{ name: 'pair', type: '(uint8 a, bytes32 b)' }]],
  ['(uint8 a)[]', [{ name: '', type: '(uint8 a)[]' }]],
  ['((uint8 a, string b)[] votes)', [{ name: 'votes', type: '(uint8 a, string b)[]' }]],
  ['', []],
  ['()', []],
  ['(what ever, it is)', []],
  ['bool like\0\u0001', []],
  ['(bool isHuman', []],
])('the fields of %j', (text, fields) => {
  expect(parseVeraxSchema(text)).toEqual(fields)
})
