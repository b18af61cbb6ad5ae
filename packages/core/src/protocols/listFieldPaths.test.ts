import { expect, test } from 'vitest'
import { listFieldPaths } from './listFieldPaths.ts'

test('the leaves of a schema are its elementary types, by their paths', () => {
  const nested = [
    { name: 'name', type: 'string' },
    { name: 'at', type: [{ name: 'x', type: 'int8[]' }] },
  ]
  const paths = listFieldPaths([
    { name: 'level', type: 'uint8' },
    { name: 'people', type: '(string name, (bool, bytes32 hash)[2] marks)[]' },
    { name: 'deep', type: JSON.stringify(nested) },
    { name: 'who.is', type: 'address[]' },
    { name: 'none', type: 'number' },
  ])
  expect(paths.map(({ path, kind, type }) => `${path.join('/')} ${kind} ${type}`)).toEqual([
    'level integer uint8',
    'people/name text string',
    'people/marks/ boolean bool',
    'people/marks/hash bytes bytes32',
    'deep/name text string',
    'deep/at/x integer int8[]',
    'who.is bytes address[]',
  ])
})

test('a path longer than the bound is left out', () => {
  const long = 'n'.repeat(600)
  const paths = listFieldPaths([{ name: long, type: `(uint8 ${long}, uint8 b)` }])
  expect(paths.map(({ path }) => path)).toEqual([[long, 'b']])
})
