import fc from 'fast-check'
import { encodeAbiParameters, getAddress, toHex, type AbiParameter } from 'viem'
import type { Hex } from '@attestry/core/model/hex.ts'

/** A parameter as people spell it and as viem does, with values as viem takes them and as our JSON shows them. */
export interface SpelledParameter {
  readonly name: string
  readonly typeText: string
  readonly viem: AbiParameter
  readonly value: fc.Arbitrary<TypedValue>
}

export interface TypedValue {
  readonly viem: unknown
  readonly json: unknown
}

/** Parameters with values, and their encoding by viem. */
export interface EncodedParameters {
  readonly parameters: readonly SpelledParameter[]
  readonly values: readonly TypedValue[]
  readonly encoded: Hex
}

const names = fc.constantFrom('', 'a', 'tokenId', '_x', '$y9', 'from', '__proto__')
const spaces = fc.constantFrom('', ' ', '\t', '\n ')

/** Lists of parameters of any type. */
export const spelledParameters: fc.Arbitrary<readonly SpelledParameter[]> = fc.array(spelledParameter(2), {
  maxLength: 4,
})

/** The list as a declaration, with white space wherever the grammar allows it. */
export function spellList(parameters: readonly SpelledParameter[], space: string): string {
  return parameters
    .map(({ name, typeText }) => `${space}${typeText}${name === '' ? '' : ` ${space}${name}`}${space}`)
    .join(',')
}

/** Parameters, values and encoding together. */
export const encodedParameters: fc.Arbitrary<EncodedParameters> = spelledParameters.chain((parameters) =>
  fc.tuple(...parameters.map(({ value }) => value)).map((values) => ({
    parameters,
    values,
    encoded: encodeAbiParameters(
      parameters.map(({ viem }) => viem),
      values.map(({ viem }) => viem),
    ) as Hex,
  })),
)

function spelledParameter(depth: number): fc.Arbitrary<SpelledParameter> {
  const leaf = fc.oneof(integers(), fixedBytes(), plainTypes())
  if (depth === 0) return named(leaf)
  const inner = fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 1, arbitrary: spelledTuple(depth) })
  return named(fc.oneof({ weight: 3, arbitrary: inner }, { weight: 2, arbitrary: inner.chain(arrayOf) }))
}

type SpelledType = Omit<SpelledParameter, 'name'>

function named(type: fc.Arbitrary<SpelledType>): fc.Arbitrary<SpelledParameter> {
  return fc
    .tuple(names, type)
    .map(([name, spelled]) => ({ ...spelled, name, viem: { ...spelled.viem, name } }))
}

function integers(): fc.Arbitrary<SpelledType> {
  return fc
    .tuple(fc.integer({ min: 1, max: 32 }), fc.boolean(), fc.boolean())
    .map(([size, signed, short]) => {
      const bits = BigInt(size * 8)
      const kind = signed ? 'int' : 'uint'
      const range = signed
        ? { min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n }
        : { min: 0n, max: 2n ** bits - 1n }
      const value = fc.oneof(fc.bigInt(range), fc.constantFrom(range.min, range.max))
      return {
        typeText: short && size === 32 ? kind : `${kind}${bits}`,
        viem: { type: `${kind}${bits}` },
        value: value.map((number) => ({ viem: number, json: number.toString() })),
      }
    })
}

function fixedBytes(): fc.Arbitrary<SpelledType> {
  return fc.oneof(fc.integer({ min: 1, max: 32 }), fc.constantFrom('function', 'ipfsHash')).map((choice) => {
    const size = choice === 'function' ? 24 : choice === 'ipfsHash' ? 32 : choice
    return {
      typeText: typeof choice === 'string' ? choice : `bytes${choice}`,
      viem: { type: `bytes${size}` },
      value: byteStrings(size, size),
    }
  })
}

function plainTypes(): fc.Arbitrary<SpelledType> {
  return fc.constantFrom<SpelledType>(
    {
      typeText: 'address',
      viem: { type: 'address' },
      value: byteStrings(20, 20).map(({ viem }) => ({ viem, json: getAddress(viem) })),
    },
    {
      typeText: 'bool',
      viem: { type: 'bool' },
      value: fc.boolean().map((value) => ({ viem: value, json: value })),
    },
    { typeText: 'bytes', viem: { type: 'bytes' }, value: byteStrings(0, 70) },
    {
      typeText: 'string',
      viem: { type: 'string' },
      value: fc
        .string({ unit: 'binary', maxLength: 40 })
        .map((text) => ({ viem: text, json: text.toWellFormed() })),
    },
  )
}

function byteStrings(minLength: number, maxLength: number): fc.Arbitrary<{ viem: Hex; json: Hex }> {
  return fc.uint8Array({ minLength, maxLength }).map((value) => {
    const text = toHex(value) as Hex
    return { viem: text, json: text }
  })
}

function spelledTuple(depth: number): fc.Arbitrary<SpelledType> {
  return fc
    .tuple(
      fc.array(spelledParameter(depth - 1), { minLength: 1, maxLength: 3 }),
      spaces,
      fc.constantFrom('', 'tuple', 'tuple '),
    )
    .map(([components, space, keyword]) => ({
      typeText: `${keyword}(${spellList(components, space)})`,
      viem: { type: 'tuple', components: components.map(({ viem }) => viem) },
      value: fc.tuple(...components.map(({ value }) => value)).map((values) => ({
        viem: values.map(({ viem }) => viem),
        json: components.map(({ name, typeText }, index) => ({
          name,
          type: typeText,
          value: values[index]?.json,
        })),
      })),
    }))
}

function arrayOf(element: SpelledType): fc.Arbitrary<SpelledType> {
  return fc.tuple(fc.constantFrom(null, 1, 3), spaces).map(([length, space]) => ({
    typeText: `${element.typeText}${space}[${length ?? ''}]`,
    viem: { ...element.viem, type: `${element.viem.type}[${length ?? ''}]` },
    value: fc
      .array(element.value, { minLength: length ?? 0, maxLength: length ?? 3 })
      .map((values) => ({ viem: values.map(({ viem }) => viem), json: values.map(({ json }) => json) })),
  }))
}
