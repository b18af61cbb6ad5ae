import fc from 'fast-check'
import { decodeAbiParameters, encodeAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { hostilePayload } from '@attestry/test/abi/hostilePayload.ts'
import { encodedParameters, spellList, type EncodedParameters } from '@attestry/test/abi/typedValues.ts'
import { parseHex, type Hex } from '../../model/hex.ts'
import type { AbiParameter } from './abiType.ts'
import { decodeAbiValues } from './decodeAbiValues.ts'
import { parseAbiParameters } from './parseAbiParameters.ts'

describe('values of any types that viem encodes', () => {
  test('are read back as JSON shows them', () => {
    fc.assert(
      fc.property(encodedParameters, (sample) => {
        expect(decodeAbiValues(parametersOf(sample), sample.encoded)).toEqual({
          kind: 'values',
          values: expectedValues(sample),
        })
      }),
      { numRuns: 500 },
    )
  })

  test('are read back as the components of one tuple', () => {
    fc.assert(
      fc.property(encodedParameters, (sample) => {
        const parameters = parametersOf(sample)
        fc.pre(parameters.some(({ type }) => type.dynamic))
        const components = sample.parameters.map(({ viem }) => viem)
        const wrapped = encodeAbiParameters(
          [{ type: 'tuple', components }],
          [sample.values.map(({ viem }) => viem)],
        )
        expect(decodeAbiValues(parameters, hex(wrapped), 'dynamicTuple')).toEqual({
          kind: 'values',
          values: expectedValues(sample),
        })
      }),
      { numRuns: 200 },
    )
  })

  test('are read from changed bytes only where viem reads and would write the same', () => {
    const counts = { values: 0, malformed: 0 }
    const hostile = encodedParameters.chain((sample) =>
      hostilePayload(fc.constant(sample.encoded)).map((encoded) => ({ sample, encoded })),
    )
    fc.assert(
      fc.property(hostile, ({ sample, encoded }) => {
        const decoded = decodeAbiValues(parametersOf(sample), encoded)
        counts[decoded.kind]++
        expect(decoded.kind === 'values').toBe(isCanonical(sample, encoded))
      }),
      { numRuns: 2000 },
    )
    expect(Math.min(counts.values, counts.malformed)).toBeGreaterThan(100)
  })
})

describe('what is read', () => {
  test.each([
    ['uint8 a', ['100'], 'byte 0 is no uint8'],
    ['int8 a', ['80'], 'byte 0 is no int8'],
    ['bytes4 a', ['1'], 'byte 0 is no bytes4'],
    ['bool a', ['2'], 'byte 0 is no bool'],
    ['uint256 a', ['1', '2'], 'byte 32 should be the end'],
    ['uint256 a', [], 'byte 0 should begin another word'],
    ['uint256[] a', ['20', '2', '1'], 'byte 32 announces 2 elements, more than the payload holds'],
    ['uint256[] a', ['20', 'f'.repeat(64)], 'byte 32 is no length'],
    ['uint256[999999999999999] a', ['1'], 'byte 32 should begin another word'],
    ['string[999999999999999] a', ['20', '1'], 'byte 64 should begin another word'],
    ['bytes a, bytes b', ['60', '40', '0', '0'], /^byte 64 should begin a value/],
    ['bytes a, bytes b', ['40', '40', '0'], /^byte 96 should begin a value/],
  ])('of %s at %j is nothing', (text, words, reason) => {
    const decoded = decodeAbiValues(
      parametersFrom(text),
      hex(`0x${words.map((word) => word.padStart(64, '0')).join('')}`),
    )
    expect(decoded).toEqual({ kind: 'malformed', reason: expect.stringMatching(reason) })
  })

  test('is bounded where names repeat or values are many', () => {
    const count = 2000
    const long = parametersFrom(`(uint8 ${'n'.repeat(1000)})[] a`)
    const many = parametersFrom('bool[] a')
    const encode = (length: number): Hex =>
      hex(
        `0x${[32, length, ...new Array<number>(length).fill(1)].map((word) => word.toString(16).padStart(64, '0')).join('')}`,
      )
    expect(decodeAbiValues(long, encode(count))).toEqual({
      kind: 'malformed',
      reason: 'the values would come to more than 1048576 characters',
    })
    expect(decodeAbiValues(long, encode(100)).kind).toBe('values')
    expect(decodeAbiValues(many, encode(4000)).kind).toBe('values')
    expect(decodeAbiValues(many, encode(5000)).kind).toBe('malformed')
  })
})

function expectedValues({ parameters, values }: EncodedParameters): unknown {
  return parameters.map(({ name, typeText }, index) => ({ name, type: typeText, value: values[index]?.json }))
}

function parametersOf({ parameters }: EncodedParameters): readonly AbiParameter[] {
  return parametersFrom(spellList(parameters, ''))
}

function parametersFrom(text: string): readonly AbiParameter[] {
  const parameters = parseAbiParameters(text)
  if (parameters === null) throw new Error(`${text} does not parse`)
  return parameters
}

/**
 * Whether viem reads values from the bytes, and encodes the values to the same bytes. Strings are read as bytes and
 * tuples without names; neither loses information.
 */
function isCanonical({ parameters }: EncodedParameters, encoded: Hex): boolean {
  const viem = parameters.map((parameter) => bytesForStrings(parameter.viem))
  try {
    return encodeAbiParameters(viem, decodeAbiParameters(viem, encoded)) === encoded
  } catch {
    return false
  }
}

interface ViemParameter {
  readonly type: string
  readonly components?: readonly ViemParameter[]
}

function bytesForStrings({ type, components }: ViemParameter): ViemParameter {
  const read = type.replace(/^string/, 'bytes')
  return components === undefined
    ? { type: read }
    : { type: read, components: components.map(bytesForStrings) }
}

function hex(text: string): Hex {
  const parsed = parseHex(text)
  if (parsed === null) throw new Error(`${text} is no hex`)
  return parsed
}
