import { checksumAddress } from '../../model/checksumAddress.ts'
import { type Hex, parseAddress } from '../../model/hex.ts'
import { type AbiParameter, type AbiType, spellType } from '../abi/abiType.ts'
import { parsePrintedParameters } from '../abi/parseEthersParameters.ts'

/** The text `decodedDataJson` of payloads under one schema. */
export type FormatDecodedDataJson = (data: Hex) => string

/** Characters of a text. A payload whose arrays share their elements could be printed without an end. */
const lengthMax = 2 ** 21

/**
 * Prints payloads as easscan's `decodedDataJson` does: `JSON.stringify` of what `SchemaEncoder.decodeData` of EAS's SDK
 * 0.28.2 returns on ethers 5. `""` if that fails: the schema does not parse, the payload is too short, a text is not
 * UTF-8, or an address has more than 20 bytes. Unlike `decodePayload`, this decoder is lenient: it accepts trailing
 * bytes, padding that is not zero and overlapping offsets.
 *
 * Schemas that only later versions of the SDK parse, on ethers 6, are printed in the same form.
 *
 * Differs from the SDK on purpose: within a tuple, the SDK leaves out integers above 48 bits, arrays and tuples, and
 * shifts the names that follow. Here all members are printed.
 */
export function createDecodedDataFormat(schemaText: string): FormatDecodedDataJson {
  const parameters = parsePrintedParameters(schemaText)
  if (parameters === null) return () => ''
  const heads = parameters.map(headOf)
  return (data) => {
    const state: DecodeState = { digits: data.slice(2), remaining: lengthMax }
    try {
      const values = readSequence(
        state,
        { base: 0, at: 0 },
        parameters.map(({ type }) => type),
      )
      return `[${values.map((value, index) => `${heads[index] ?? ''}${value}}}`).join(',')}]`
    } catch (error) {
      if (error instanceof Undecodable) return ''
      throw error
    }
  }
}

/** The text before the value of a field: its name, type and signature, and again name and type. */
function headOf({ name, type }: AbiParameter): string {
  const spell = (member: (component: AbiParameter) => string) =>
    spellType(type, ({ components }) => `(${components.map(member).join(',')})`)
  const shortType = spell((component) => spellPlain(component.type))
  const longType = spell((component) => signatureOf(component.name, spellPlain(component.type)))
  const [nameJson, typeJson] = [printName(name), JSON.stringify(shortType)]
  const signature = JSON.stringify(signatureOf(name, longType))
  const inner = `{"name":${nameJson},"type":${typeJson},"value":`
  return `{"name":${nameJson},"type":${typeJson},"signature":${signature},"value":${inner}`
}

function signatureOf(name: string, type: string): string {
  return name === '' ? type : `${type} ${name}`
}

/** A type without the members of its tuples. */
function spellPlain(type: AbiType): string {
  return spellType(type, () => 'tuple')
}

/** ethers has null for no name. */
function printName(name: string): string {
  return name === '' ? 'null' : JSON.stringify(name)
}

interface DecodeState {
  readonly digits: string
  /** Characters left for the text. */
  remaining: number
}

/** A place in the payload, in bytes; offsets count from `base`. */
interface Cursor {
  readonly base: number
  at: number
}

class Undecodable extends Error {}

/** The JSON texts of the values of one frame: heads in order, dynamic values behind their offsets. */
function readSequence(state: DecodeState, cursor: Cursor, types: Iterable<AbiType>): string[] {
  const frame = cursor.at
  const values: string[] = []
  for (const type of types) {
    if (type.dynamic) {
      const start = frame + readLength(state, cursor)
      values.push(readValue(state, { base: start, at: start }, type))
    } else {
      values.push(readValue(state, cursor, type))
    }
  }
  return values
}

function readValue(state: DecodeState, cursor: Cursor, type: AbiType): string {
  const text = writeValue(state, cursor, type)
  state.remaining -= type.kind === 'array' || type.kind === 'tuple' ? 2 : text.length
  if (state.remaining < 0) throw new Undecodable()
  return text
}

function writeValue(state: DecodeState, cursor: Cursor, type: AbiType): string {
  switch (type.kind) {
    case 'integer': {
      const word = BigInt(`0x${readDigits(state, cursor, 32)}`)
      const value = type.signed ? BigInt.asIntN(type.bits, word) : BigInt.asUintN(type.bits, word)
      return type.bits <= 48 ? value.toString() : bigNumberJson(value)
    }
    case 'fixedBytes':
      return `"0x${readDigits(state, cursor, type.size)}"`
    case 'bool':
      return String(/[^0]/.test(readDigits(state, cursor, 32)))
    case 'address': {
      const word = readDigits(state, cursor, 32)
      const address = parseAddress(`0x${word.slice(24)}`)
      if (address === null || !/^0{24}/.test(word)) throw new Undecodable()
      return `"${checksumAddress(address)}"`
    }
    case 'bytes':
      return `"0x${readDigits(state, cursor, readLength(state, cursor))}"`
    case 'string':
      return JSON.stringify(readUtf8(readDigits(state, cursor, readLength(state, cursor))))
    case 'array': {
      const count = type.length ?? readLength(state, cursor)
      // Counted from the array's own place, as there.
      const isShort = type.length === null && count * 64 > state.digits.length - cursor.base * 2
      if (isShort || count > state.remaining) throw new Undecodable()
      return `[${readSequence(state, cursor, repeat(type.element, count)).join(',')}]`
    }
    case 'tuple': {
      const { components } = type
      const values = readSequence(
        state,
        cursor,
        components.map((component) => component.type),
      )
      const members = components.map(({ name, type }, index) => {
        const head = `{"name":${printName(name)},"type":${JSON.stringify(spellPlain(type))},"value":`
        state.remaining -= head.length
        return `${head}${values[index] ?? ''}}`
      })
      return `[${members.join(',')}]`
    }
  }
}

function* repeat(type: AbiType, count: number): Iterable<AbiType> {
  for (let index = 0; index < count; index++) yield type
}

/** The digits of `size` bytes; the cursor passes over their padding, which has to be there. */
function readDigits({ digits }: DecodeState, cursor: Cursor, size: number): string {
  const start = cursor.at * 2
  cursor.at += Math.ceil(size / 32) * 32
  if (cursor.at * 2 > digits.length) throw new Undecodable()
  return digits.slice(start, start + size * 2)
}

function readLength(state: DecodeState, cursor: Cursor): number {
  const length = Number(`0x${readDigits(state, cursor, 32)}`)
  // Nothing is as long: the comparison with the payload's length refuses what is too large.
  return Number.isSafeInteger(length) ? length : Number.MAX_SAFE_INTEGER / 128
}

/** ethers' `BigNumber` in JSON. */
function bigNumberJson(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return `{"type":"BigNumber","hex":"${value < 0n ? '-' : ''}0x${even}"}`
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readUtf8(digits: string): string {
  try {
    return utf8.decode(Buffer.from(digits, 'hex'))
  } catch (error) {
    throw new Undecodable('no UTF-8', { cause: error })
  }
}
