import { checksumAddress } from '../../model/checksumAddress.ts'
import type { NamedPayloadValue, PayloadValue } from '../../model/decodedPayload.ts'
import type { Hex } from '../../model/hex.ts'
import { AbiReader } from './abiReader.ts'
import { type AbiParameter, type AbiType, isEmptyType } from './abiType.ts'

export type DecodedAbiValues =
  | { readonly kind: 'values'; readonly values: readonly NamedPayloadValue[] }
  | { readonly kind: 'malformed'; readonly reason: string }

/**
 * The bound of the values' size in characters; each value costs `valueOverhead` besides its text. The encoding bounds
 * neither the repeated names and types of an array of tuples nor the time for thousands of address checksums.
 */
const sizeMax = 2 ** 20
const valueOverhead = 256

/** Most values, whatever their text. */
export const abiValuesMax = sizeMax / valueOverhead

/**
 * Reads the values of parameters from their canonical encoding (see `AbiReader`). The work is bounded by the size of
 * `encoded`, and by `sizeMax` if that is less.
 *
 * @param form `flat`: the encoding of `abi.encode(a, b)`. `dynamicTuple`: the components of one tuple behind an offset.
 */
export function decodeAbiValues(
  parameters: readonly AbiParameter[],
  encoded: Hex,
  form: 'flat' | 'dynamicTuple' = 'flat',
): DecodedAbiValues {
  const reader = new AbiReader(encoded)
  const state: DecodeState = { reader, remaining: sizeMax }
  if (form === 'dynamicTuple') reader.tail(reader.offset(0))
  const values = readComponents(state, parameters)
  if (state.remaining < 0) {
    return { kind: 'malformed', reason: `the values would come to more than ${sizeMax} characters` }
  }
  const problem = reader.finish()
  return problem === null ? { kind: 'values', values } : { kind: 'malformed', reason: problem }
}

interface DecodeState {
  readonly reader: AbiReader
  /** The characters left for further values; reading ends when it is below zero. */
  remaining: number
}

function mayContinue(state: DecodeState): boolean {
  return state.reader.problem === null && state.remaining >= 0
}

function readComponents(
  state: DecodeState,
  components: readonly AbiParameter[],
): readonly NamedPayloadValue[] {
  const values = readSequence(state, components.length, (index) => componentAt(components, index).type)
  return values.map((value, index) => {
    const { name, typeText } = componentAt(components, index)
    state.remaining -= name.length + typeText.length
    return { name, type: typeText, value }
  })
}

/**
 * Values of one frame: all heads, then the tails of the dynamic values in the same order. Fewer than `count` if the
 * encoding is malformed; the reader then holds the problem.
 */
function readSequence(state: DecodeState, count: number, typeAt: (index: number) => AbiType): PayloadValue[] {
  const { reader } = state
  const frame = reader.position
  const values: PayloadValue[] = []
  const tails: { readonly index: number; readonly position: number }[] = []
  for (let index = 0; index < count && mayContinue(state); index++) {
    const type = typeAt(index)
    if (type.dynamic) {
      tails.push({ index, position: reader.offset(frame) })
      values.push('')
    } else {
      values.push(readValue(state, type))
    }
  }
  for (const { index, position } of tails) {
    if (!mayContinue(state)) break
    reader.tail(position)
    values[index] = readValue(state, typeAt(index))
  }
  return values
}

/** The value at the reader's position. */
function readValue(state: DecodeState, type: AbiType): PayloadValue {
  const { reader } = state
  state.remaining -= valueOverhead
  switch (type.kind) {
    case 'integer':
      return reader.integer(type.bits, type.signed).toString()
    case 'fixedBytes':
      return reader.fixedBytes(type.size)
    case 'bool':
      return reader.bool()
    case 'address': {
      const address = reader.address()
      return reader.problem === null ? checksumAddress(address) : address
    }
    case 'bytes':
    case 'string': {
      const text = type.kind === 'bytes' ? reader.bytes() : reader.string()
      state.remaining -= text.length
      return text
    }
    case 'array': {
      const { element } = type
      return readSequence(state, type.length ?? reader.count(isEmptyType(element) ? 0 : 1), () => element)
    }
    case 'tuple':
      return readComponents(state, type.components)
  }
}

function componentAt(components: readonly AbiParameter[], index: number): AbiParameter {
  const component = components[index]
  if (component === undefined) throw new RangeError(`no component ${index} among ${components.length}`)
  return component
}
