import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { spellList, spelledParameters } from '@attestry/test/abi/typedValues.ts'
import type { AbiType } from './abiType.ts'
import { parseAbiParameters } from './parseAbiParameters.ts'

describe('a list of parameters', () => {
  test('is read with names, types as written and what they mean, whatever the white space', () => {
    fc.assert(
      fc.property(spelledParameters, fc.constantFrom('', ' ', '\r\n\t'), (parameters, space) => {
        const parsed = parseAbiParameters(spellList(parameters, space))
        expect(parsed?.map(({ name, typeText }) => ({ name, typeText }))).toEqual(
          parameters.map(({ name, typeText }) => ({ name, typeText })),
        )
        expect(parsed?.map(({ type }) => formatCanonical(type))).toEqual(
          parameters.map(({ viem }) => formatViem(viem)),
        )
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['nothing', '', []],
    ['white space', ' \n', []],
    ['no name', 'uint256', [['uint256', '']]],
    [
      'EAS style',
      'bytes32 eventId,uint8 vote',
      [
        ['bytes32', 'eventId'],
        ['uint8', 'vote'],
      ],
    ],
    [
      'a location',
      'string memory text, address payable who',
      [
        ['string', 'text'],
        ['address', 'who'],
      ],
    ],
    ['a location without a name', 'string calldata', [['string', '']]],
    ['tuples in an array', '(uint8 a, string b)[] c', [['(uint8 a, string b)[]', 'c']]],
    ['the word tuple', 'tuple(uint8 a)[3][] c', [['tuple(uint8 a)[3][]', 'c']]],
    ['a tuple of tuples', '((bool),bool)', [['((bool),bool)', '']]],
    [
      'names that are types elsewhere',
      'address from, uint256 uint8',
      [
        ['address', 'from'],
        ['uint256', 'uint8'],
      ],
    ],
  ])('may have %s', (_, text, expected) => {
    expect(parseAbiParameters(text)?.map(({ typeText, name }) => [typeText, name])).toEqual(expected)
  })

  test.each([
    'hello world',
    'uint7 a',
    'uint264 a',
    'uint08 a',
    'bytes0 a',
    'bytes33 a',
    'byte a',
    'fixed128x18 a',
    'number a',
    'String a',
    'uint256 a,',
    ',uint256 a',
    'uint256 a,,bool b',
    'uint256 a;',
    'uint256 a b',
    'string memory memory',
    'uint256 2fa',
    'string имя',
    'uint256\u00a0a',
    'uint256 a uint8',
    'uint256[',
    'uint256]',
    'uint256[0] a',
    'uint256[01] a',
    'uint256[-1] a',
    'uint256[1e3] a',
    'uint256[9999999999999999] a',
    'uint256 a[]',
    '()',
    '() a',
    'tuple',
    'tuple a',
    '(uint8 a',
    'uint8 a)',
    '(uint8 a,) b',
    '(uint8 a) memory b c',
    'uint8(a) b',
    '{"name":"a"}',
  ])('is none: %s', (text) => {
    expect(parseAbiParameters(text)).toBeNull()
  })

  test('nests up to 64 tuples and arrays, in whatever mixture', () => {
    const tuples = (count: number): string => `${'('.repeat(count)}bool${')'.repeat(count)}`
    const mixed = (count: number): string => `${'('.repeat(count)}bool${'[])'.repeat(count)}`
    expect(parseAbiParameters(tuples(64))).not.toBeNull()
    expect(parseAbiParameters(tuples(65))).toBeNull()
    expect(parseAbiParameters(`bool${'[]'.repeat(64)}`)).not.toBeNull()
    expect(parseAbiParameters(`bool${'[]'.repeat(65)}`)).toBeNull()
    expect(parseAbiParameters(mixed(32))).not.toBeNull()
    expect(parseAbiParameters(mixed(33))).toBeNull()
  })

  test.each(['(', 'tuple(', '(bool,', '[', '[]', 'bool[]', ','])('is none where %s never ends', (part) => {
    expect(parseAbiParameters(part.repeat(100_000))).toBeNull()
    expect(parseAbiParameters(`bool ${part.repeat(100_000)}`)).toBeNull()
  })

  test('is found in no text without an end, and what is found says the same when it is read again', () => {
    const piece = fc.constantFrom(
      'uint8',
      'bool',
      'tuple',
      'a',
      '(',
      ')',
      '[',
      ']',
      '3',
      ',',
      ' ',
      'memory',
      '\0',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          const parsed = parseAbiParameters(text)
          if (parsed === null) return
          const again = parsed.map(({ typeText, name }) => `${typeText} ${name}`).join(',')
          expect(parseAbiParameters(again)).toEqual(parsed)
        },
      ),
      { numRuns: 5000 },
    )
  })
})

/** The canonical name of a type, as signatures have it. */
function formatCanonical(type: AbiType): string {
  switch (type.kind) {
    case 'integer':
      return `${type.signed ? 'int' : 'uint'}${type.bits}`
    case 'fixedBytes':
      return `bytes${type.size}`
    case 'array':
      return `${formatCanonical(type.element)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.components.map((component) => formatCanonical(component.type)).join(',')})`
    default:
      return type.kind
  }
}

interface ViemType {
  readonly type: string
  readonly components?: readonly ViemType[]
}

function formatViem({ type, components }: ViemType): string {
  return components === undefined ? type : type.replace('tuple', `(${components.map(formatViem).join(',')})`)
}
