import {
  parseAddress,
  parseHash,
  parseHex,
  type Address,
  type Hash,
  type Hex,
} from '@attestry/core/model/hex.ts'
import { parseChainId, parseLocalId, type ChainId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { ExportDamagedError } from '@attestry/core/errors/storeErrors.ts'
import { exceedsJson } from '@attestry/core/model/nesting.ts'

/** Reads the members of one line of an export, each checked: what a file holds is believed of nobody. */
export interface LineFields {
  has(name: string): boolean
  text(name: string): string
  textOrNull(name: string): string | null
  oneOf<Text extends string>(name: string, texts: readonly Text[]): Text
  /** A whole number from 0 to 2^53 - 1. */
  whole(name: string): number
  wholeOrNull(name: string): number | null
  /** As `whole`, but -1 too: the block before the first one. */
  integerOrNull(name: string): number | null
  flag(name: string): boolean
  flagOrNull(name: string): boolean | null
  /** The decimal digits of a uint64. */
  digits(name: string): bigint
  hex(name: string): Hex
  address(name: string): Address
  addressOrNull(name: string): Address | null
  hash(name: string): Hash
  localId(name: string): LocalId
  chainId(name: string): ChainId
  object(name: string): LineFields
  objectOrNull(name: string): LineFields | null
  objects(name: string): readonly LineFields[]
  texts(name: string): readonly string[]
  hexes(name: string): readonly Hex[]
}

/** @throws ExportDamagedError when the text is no JSON object. */
export function readLine(text: string, lineNumber: number): LineFields {
  return fieldsOf(parseLineJson(text, lineNumber), `line ${lineNumber}`)
}

/** More than any line has: the members of an event nest three levels, and an attestation has at most some 100,000 recipients. */
const lineLimits = { levels: 8, values: 1_000_000 }

/** The JSON of a line of an export. */
export function parseLineJson(text: string, lineNumber: number): unknown {
  if (exceedsJson(text, lineLimits)) {
    throw new ExportDamagedError(
      `line ${lineNumber} of the export has more than ${lineLimits.levels} levels or ${lineLimits.values} values of JSON: ` +
        'this program writes no such line',
    )
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ExportDamagedError(`line ${lineNumber} of the export is no JSON`, { cause: error })
  }
}

const uint64Max = 2n ** 64n - 1n

function fieldsOf(value: unknown, where: string): LineFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ExportDamagedError(`${where} of the export is no JSON object`)
  }
  const members = new Map<string, unknown>(Object.entries(value))

  function read<Result>(name: string, what: string, parse: (value: unknown) => Result | null): Result {
    const result = parse(members.get(name))
    if (result === null) throw new ExportDamagedError(`${where} of the export has no ${what} as "${name}"`)
    return result
  }

  function optional<Result>(name: string, readIt: (name: string) => Result): Result | null {
    return members.get(name) === null ? null : readIt(name)
  }

  const text = (name: string) => read(name, 'text', asText)
  const whole = (name: string) => read(name, 'whole number', asWhole)
  const flag = (name: string) =>
    read(name, 'truth value', (each) => (typeof each === 'boolean' ? each : null))
  const address = (name: string) => read(name, 'address', (each) => parseAddress(asText(each) ?? ''))
  const object = (name: string) => fieldsOf(members.get(name), `"${name}" in ${where}`)
  const list = (name: string) =>
    read(name, 'list', (each): readonly unknown[] | null => (Array.isArray(each) ? each : null))

  function items<Item>(name: string, what: string, parse: (value: unknown) => Item | null): readonly Item[] {
    return list(name).map((each) => {
      const item = parse(each)
      if (item === null) throw new ExportDamagedError(`${where} of the export has no ${what} as "${name}"`)
      return item
    })
  }

  return {
    has: (name) => members.has(name),
    text,
    textOrNull: (name) => optional(name, text),
    oneOf: (name, texts) => read(name, 'known text', (each) => texts.find((one) => one === each) ?? null),
    whole,
    wholeOrNull: (name) => optional(name, whole),
    integerOrNull: (name) => optional(name, (given) => (members.get(given) === -1 ? -1 : whole(given))),
    flag,
    flagOrNull: (name) => optional(name, flag),
    digits: (name) => read(name, 'uint64', asDigits),
    hex: (name) => read(name, 'byte string', (each) => parseHex(asText(each) ?? '')),
    address,
    addressOrNull: (name) => optional(name, address),
    hash: (name) => read(name, 'hash', (each) => parseHash(asText(each) ?? '')),
    localId: (name) => read(name, 'id', (each) => parseLocalId(asText(each) ?? '')),
    chainId: (name) => read(name, 'chain number', (each) => parseChainId(asText(each) ?? '')),
    object,
    objectOrNull: (name) => optional(name, object),
    objects: (name) => list(name).map((each, index) => fieldsOf(each, `"${name}[${index}]" in ${where}`)),
    texts: (name) => items(name, 'texts', asText),
    hexes: (name) => items(name, 'byte strings', (each) => parseHex(asText(each) ?? '')),
  }
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function asWhole(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function asDigits(value: unknown): bigint | null {
  if (typeof value !== 'string' || !/^(?:0|[1-9][0-9]{0,19})$/.test(value)) return null
  const number = BigInt(value)
  return number <= uint64Max ? number : null
}
