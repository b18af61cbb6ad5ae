import { describe, expect, test } from 'vitest'
import { parseSchemaString } from './parseSchemaString.ts'

describe('the string of an EAS schema', () => {
  test.each([
    [
      'bytes32 eventId, uint8 vote',
      [
        ['eventId', 'bytes32'],
        ['vote', 'uint8'],
      ],
    ],
    [
      'bytes32 schemaId,string name',
      [
        ['schemaId', 'bytes32'],
        ['name', 'string'],
      ],
    ],
    ['  bool   like  ', [['like', 'bool']]],
    ['bool', [['', 'bool']]],
    [
      'uint256,string x',
      [
        ['', 'uint256'],
        ['x', 'string'],
      ],
    ],
    ['(uint8 a, string b)[] votes', [['votes', '(uint8 a, string b)[]']]],
    ['tuple(uint8 a)  vote', [['vote', 'tuple(uint8 a)']]],
    [
      'uint a,int b',
      [
        ['a', 'uint'],
        ['b', 'int'],
      ],
    ],
    ['ipfsHash doc', [['doc', 'ipfsHash']]],
    ['uint8[2][] grid', [['grid', 'uint8[2][]']]],
  ])('%j gives its fields', (text, fields) => {
    expect(parseSchemaString(text)).toEqual(fields.map(([name, type]) => ({ name, type })))
  })

  test.each(['', ' ', 'gm', 'uint256 a, nonsense b', '{"name":"x","description":"","data":[]}', 'bool a,'])(
    '%j gives none',
    (text) => {
      expect(parseSchemaString(text)).toEqual([])
    },
  )
})
