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
    [
      'uint256 score, address player,',
      [
        ['score', 'uint256'],
        ['player', 'address'],
      ],
    ],
    [
      'string 名前, uint 点数',
      [
        ['名前', 'string'],
        ['点数', 'uint'],
      ],
    ],
    [
      'string dc:title, string user.name, bool isHuman?',
      [
        ['dc:title', 'string'],
        ['user.name', 'string'],
        ['isHuman?', 'bool'],
      ],
    ],
    [
      'bool a,\r\n\tbool b,\n',
      [
        ['a', 'bool'],
        ['b', 'bool'],
      ],
    ],
    [
      'ipfsHash[] été, tuple(uint à, (ipfsHash, bool é)[2] b)[]  c',
      [
        ['été', 'ipfsHash[]'],
        ['c', 'tuple(uint à, (ipfsHash, bool é)[2] b)[]'],
      ],
    ],
    [
      'string ipfsHash, ipfsHash ipfsHash',
      [
        ['ipfsHash', 'string'],
        ['ipfsHash', 'ipfsHash'],
      ],
    ],
    // ethers 5 reads a length behind white space as the name.
    [
      'uint256[ 2], bool é',
      [
        ['2', 'uint256[]'],
        ['é', 'bool'],
      ],
    ],
  ])('%j gives its fields', (text, fields) => {
    expect(parseSchemaString(text)).toEqual(fields.map(([name, type]) => ({ name, type })))
  })

  test.each([
    '',
    ' ',
    'gm',
    'uint256 a, nonsense b',
    '{"name":"x","description":"","data":[]}',
    'bool a,,',
    'string名 前',
  ])('%j gives none', (text) => {
    expect(parseSchemaString(text)).toEqual([])
  })
})
