import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leafKey, listContentLeaves } from './contentLeaves.ts'
import { readJson } from './readJson.ts'

test('the values of content stand at the names that lead to them, with all digits of numbers', () => {
  const json =
    '{"n1":12345678901234567890,"s":"n1","who":{"name":"Ada \\"L\\"","tags":["a",["b",true]]},"none":null,"e":-1.5e3}'
  expect(listContentLeaves(json)).toEqual([
    { path: ['n1'], type: 'number', value: '12345678901234567890' },
    { path: ['s'], type: 'string', value: 'n1' },
    { path: ['who', 'name'], type: 'string', value: 'Ada "L"' },
    { path: ['who', 'tags'], type: 'string', value: 'a' },
    { path: ['who', 'tags'], type: 'string', value: 'b' },
    { path: ['who', 'tags'], type: 'boolean', value: 'true' },
    { path: ['e'], type: 'number', value: '-1.5e3' },
  ])
})

test('no JSON makes more than 256 values, nor one that a database refuses', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (json) => {
      for (const { path, value } of listContentLeaves(json)) {
        expect([...path, value].join('')).not.toContain('\0')
      }
    }),
  )
  expect(listContentLeaves('["text",1]')).toEqual([])
  expect(listContentLeaves('{"a":"x\\u0000","b\\u0000":1,"c":"' + 'd'.repeat(1_001) + '"}')).toEqual([])
  expect(listContentLeaves(JSON.stringify({ a: Array.from({ length: 10_000 }, (_, i) => i) }))).toHaveLength(
    256,
  )
})

test('values that are equal as any kind have one key', () => {
  expect(leafKey('007')).toBe(leafKey('7'))
  expect(leafKey('0xAB')).toBe(leafKey('0xab'))
  expect(leafKey('AB')).not.toBe(leafKey('ab'))
})

test('content is kept without its white space, and as it was written otherwise', () => {
  const read = (text: string) => readJson(Buffer.from(text))
  expect(read(' { "a b" : 12345678901234567890 ,\n "c" : "x\\" y" } ')).toEqual({
    kind: 'json',
    json: '{"a b":12345678901234567890,"c":"x\\" y"}',
  })
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (json) => {
      expect(read(JSON.stringify(JSON.parse(json), null, 2))).toEqual({
        kind: 'json',
        json: JSON.stringify(JSON.parse(json)),
      })
    }),
  )
})
