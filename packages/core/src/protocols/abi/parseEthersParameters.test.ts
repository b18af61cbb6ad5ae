import { isDeepStrictEqual } from 'node:util'
import { AbiCoder, FunctionFragment, type ParamType, isError } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTakenByEasSdk } from '@attestry/test/sdks/takenByEasSdk.ts'
import type { NamedPayloadValue, PayloadValue } from '../../model/decodedPayload.ts'
import type { Hex } from '../../model/hex.ts'
import { decodePayload } from '../decodePayload.ts'
import { parseSchemaString } from '../eas/parseSchemaString.ts'
import { type AbiType, spellType } from './abiType.ts'
import { parseEthers5 } from './parseEthers5.ts'
import { parseEthersParameters } from './parseEthersParameters.ts'

const spaces = fc.constantFrom('', '', ' ', ' ', ' ', '  ', '\t', '\n', '\r\n', '\u00a0')
const types = [
  'address',
  'bool',
  'bytes',
  'string',
  'uint',
  'int',
  'uint256',
  'uint8',
  'int24',
  'bytes1',
  'bytes32',
]
const oddTypes = [
  'ipfsHash',
  'uint08',
  'uint7',
  'uint264',
  'bytes33',
  'bytes0',
  'bytes01',
  'function',
  'tuple',
  'fixed',
]
const names = ['', 'a', 'b', 'a', 'from', '$_1', 'length', '__proto__', 'voteIndex']
const modifiers = ['memory', 'calldata', 'storage', 'payable', 'memory a', 'payable memory a']
const freeNames = [
  '名前',
  'isHuman?',
  'dc:title',
  'user.name',
  '2fa',
  'prénom',
  '-',
  '@',
  'uint8',
  'public',
  'returns',
]
const oddNames = [
  'ipfsHash',
  'myipfsHash',
  'indexed',
  'memory memory',
  'tuple',
  'constructor',
  'a b',
  '[]',
  ')',
  '(',
]
const suffixes = ['', '', '', '', '[]', '[2]', '[][]', '[3][]', '[][1]']
const oddSuffixes = ['[0]', '[02]', '[ 2 ]', '[', ']', '[]]', '[1]2]', '[a]', '[-1]', ' []']

interface Parts {
  readonly word: fc.Arbitrary<string>
  readonly name: fc.Arbitrary<string>
  readonly suffix: fc.Arbitrary<string>
  readonly space: fc.Arbitrary<string>
}

function schemaOf({ word, name, suffix, space }: Parts): fc.Arbitrary<string> {
  const comma = fc.tuple(space, space).map(([before, behind]) => `${before},${behind}`)
  const listOf = (parameter: fc.Arbitrary<string>) =>
    fc
      .tuple(fc.array(fc.tuple(parameter, comma), { minLength: 1, maxLength: 3 }), fc.nat(3), space)
      .map(([items, ends, before]) => {
        const last = items.length - (ends === 0 ? 0 : 1)
        return before + items.map(([item, between], index) => (index < last ? item + between : item)).join('')
      })
  const tuple = fc.constantFrom('', 'tuple', 'tuple ')
  const { parameter } = fc.letrec<{ parameter: string; type: string }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 2 },
      { weight: 4, arbitrary: word },
      {
        weight: 1,
        arbitrary: fc.tuple(tuple, listOf(tie('parameter'))).map(([start, list]) => `${start}(${list})`),
      },
    ),
    parameter: fc.tuple(space, tie('type'), suffix, space, name).map(
      ([before, type, array, between, named]) =>
        // Mostly parted: a word grows together with the one before it.
        before + type + array + (between === '' && named.length % 2 === 1 ? ' ' : between) + named,
    ),
  }))
  return listOf(parameter)
}

const plain = {
  word: fc.constantFrom(...types),
  name: fc.constantFrom(...names, ...modifiers),
  suffix: fc.constantFrom(...suffixes),
  space: spaces,
}
const schema = fc.oneof(
  schemaOf(plain),
  schemaOf({
    ...plain,
    name: fc.oneof(fc.constantFrom(...names, ...freeNames), fc.string({ unit: 'grapheme', maxLength: 4 })),
    space: fc.constantFrom('', ' ', '\t'),
  }),
  schemaOf({
    word: fc.constantFrom(...types, ...oddTypes),
    name: fc.constantFrom(...names, ...oddNames),
    suffix: fc.constantFrom(...suffixes, ...oddSuffixes),
    space: spaces,
  }),
  fc
    .array(fc.constantFrom(...types, ...oddNames, ...oddSuffixes, ',', ' ', 'tuple', '()'))
    .map((all) => all.join('')),
)

/** Parses a text like the SDK, which replaces `ipfsHash` before parsing. */
function inputsOf(text: string): readonly ParamType[] {
  return FunctionFragment.from(`func(${text.replaceAll(/ipfsHash (\S+)/g, 'bytes32 $1')})`).inputs
}

function canonical(type: AbiType): string {
  return spellType(type, ({ components }) => `(${components.map((each) => canonical(each.type)).join(',')})`)
}

function canonicalByEthers({ type, arrayChildren, arrayLength, components }: ParamType): string {
  if (arrayChildren !== null) {
    return `${canonicalByEthers(arrayChildren)}[${arrayLength === -1 ? '' : (arrayLength ?? '')}]`
  }
  if (components !== null) return `(${components.map(canonicalByEthers).join(',')})`
  return type.replace(/(?<=[a-z])0+/, '')
}

function valueOf(input: ParamType, seed: number): unknown {
  if (input.arrayChildren !== null) {
    const children = input.arrayChildren
    const length = input.arrayLength === -1 ? seed % 3 : (input.arrayLength ?? 0)
    return Array.from({ length }, (_, index) => valueOf(children, seed + index))
  }
  if (input.components !== null) return input.components.map((each, index) => valueOf(each, seed + index + 1))
  if (input.type === 'bool') return seed % 2 === 1
  if (input.type === 'address') return `0x${'0'.repeat(38)}${(seed % 90) + 10}`
  if (input.type === 'string') return 'é'.repeat(seed % 40)
  if (input.type === 'bytes') return `0x${'ab'.repeat(seed % 40)}`
  if (input.type.startsWith('bytes')) return `0x${'cd'.repeat(Number(input.type.slice(5)))}`
  return BigInt(input.type.startsWith('int') ? -(seed % 100) : seed % 200)
}

/** A value of the SDK's as decoded payloads have it, but for the types of members. */
function payloadValueOf(input: ParamType, value: unknown): unknown {
  if (input.arrayChildren !== null) {
    const children = input.arrayChildren
    return Array.from(value as Iterable<unknown>, (each) => payloadValueOf(children, each))
  }
  if (input.components !== null) return namedValues(input.components, value as Iterable<unknown>)
  return typeof value === 'bigint' ? String(value) : value
}

function namedValues(inputs: readonly ParamType[], values: Iterable<unknown>): unknown {
  const known = [...values]
  return inputs.map((input, index) => ({ name: input.name, value: payloadValueOf(input, known[index]) }))
}

function withoutTypes(value: PayloadValue | NamedPayloadValue): unknown {
  if (Array.isArray(value)) return value.map(withoutTypes)
  if (typeof value !== 'object' || !('name' in value)) return value
  return { name: value.name, value: withoutTypes(value.value) }
}

interface Reading {
  readonly parameters: readonly (readonly [name: string, type: string])[]
  readonly values: unknown
}

/** The fields of a schema and the values of a payload as the newest SDK reads them; null if it refuses the schema. */
function readBySdk(text: string, seed: number): (Reading & { readonly data: Hex }) | null {
  if (!isTakenByEasSdk(text)) return null
  const inputs = inputsOf(text)
  const coder = AbiCoder.defaultAbiCoder()
  const data = coder.encode(
    inputs,
    inputs.map((input, index) => valueOf(input, seed + index)),
  ) as Hex
  // `decodeData` of the SDK takes an array within a tuple for one of arrays: ethers decodes what it is built on.
  const values = decoded(coder, inputs, data)
  if (values === null) return null
  return { parameters: inputs.map((input) => [input.name, canonicalByEthers(input)]), values, data }
}

/** Null for a list of values without bytes (`bool[0][]`), which ethers encodes and does not decode. */
function decoded(coder: AbiCoder, inputs: readonly ParamType[], data: Hex): unknown {
  try {
    return namedValues(inputs, coder.decode(inputs, data))
  } catch (error) {
    if (isError(error, 'BUFFER_OVERRUN')) return null
    throw error
  }
}

function read(text: string, data: Hex): Reading | null {
  const parsed = parseEthersParameters(text)
  if (parsed === null) return null
  const payload = decodePayload(parseSchemaString(text), data, 'ONCHAIN', 'flat')
  return {
    parameters: parsed.map(({ name, type }) => [name, canonical(type)]),
    values: payload.kind === 'decoded' ? payload.values.map(withoutTypes) : payload.reason,
  }
}

test('a schema that the newest SDK of EAS takes is read as it reads it: names, types and values', () => {
  let taken = 0
  fc.assert(
    fc.property(schema, fc.nat(1000), (text, seed) => {
      const expected = readBySdk(text, seed)
      if (expected === null) return true
      taken++
      const { data, ...reading } = expected
      return isDeepStrictEqual(read(text, data), reading)
    }),
    { numRuns: 5_000 },
  )
  expect(taken).toBeGreaterThan(500)
})

test('any other schema is read as SDKs on ethers 5 read it, or not at all', () => {
  let [taken, refused] = [0, 0]
  fc.assert(
    fc.property(schema, (text) => {
      if (isTakenByEasSdk(text)) return true
      // The vectors of eas/formatDecodedDataJson.test.ts hold `parseEthers5` against such an SDK.
      const [expected, parsed] = [parseEthers5(text), parseEthersParameters(text)]
      if (expected === null) refused++
      else taken++
      const shape = (parameters: typeof parsed) =>
        parameters?.map(({ name, type }) => [name, spellType(type)])
      return isDeepStrictEqual(shape(parsed), shape(expected))
    }),
    { numRuns: 5_000 },
  )
  expect(Math.min(taken, refused)).toBeGreaterThan(200)
})

describe('a field of a parsed schema', () => {
  test('has a type that says the same alone', () => {
    fc.assert(
      fc.property(schema, (text) => {
        for (const { typeText, type } of parseEthersParameters(text) ?? []) {
          const [alone, ...others] = parseEthersParameters(typeText) ?? []
          expect({ name: alone?.name, spelled: alone && spellType(alone.type), others }).toEqual({
            name: '',
            spelled: spellType(type),
            others: [],
          })
        }
      }),
      { numRuns: 3_000 },
    )
  })
})

test.each(['(', 'tuple(', '(bool,', '[', '[]', 'bool[]', ',', ' ', 'ipfsHash ', '名', ')'])(
  'texts without an end of %j are parsed in a time that grows as they do',
  (part) => {
    expect(() => parseEthersParameters(part.repeat(100_000))).not.toThrow()
    expect(() => parseEthersParameters(`bool ${part.repeat(100_000)}`)).not.toThrow()
  },
)

test('types nest up to 64 deep', () => {
  for (const grammar of [' a', ' é']) {
    expect(parseEthersParameters(`${'('.repeat(64)}bool${')'.repeat(64)}${grammar}`)).not.toBeNull()
    expect(parseEthersParameters(`${'('.repeat(65)}bool${')'.repeat(65)}${grammar}`)).toBeNull()
    expect(parseEthersParameters(`bool${'[]'.repeat(64)}${grammar}`)).not.toBeNull()
    expect(parseEthersParameters(`bool${'[]'.repeat(65)}${grammar}`)).toBeNull()
  }
})
