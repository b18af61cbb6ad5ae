import { expect, test } from 'vitest'
import { listContentLeaves } from './contentLeaves.ts'
import { readJson } from './readJson.ts'

test('JSON is kept without the space between its tokens, with all digits and escapes', () => {
  const text = ' {"a b" : "x \\" y\\\\",\n"n":\t1.50e+2, "l": [ 12345678901234567890 , "" ] } '
  expect(readJson(Buffer.from(text))).toEqual({
    kind: 'json',
    json: '{"a b":"x \\" y\\\\","n":1.50e+2,"l":[12345678901234567890,""]}',
  })
})

test.each(['x', '\\n', '\\"'])('a string of very many %s is read', (part) => {
  const text = `{"a":"${part.repeat(20_000_000 / part.length)}","b":1}`
  expect(readJson(Buffer.from(text))).toEqual({ kind: 'json', json: text })
  expect(listContentLeaves(text)).toEqual([{ path: ['b'], type: 'number', value: '1' }])
})
