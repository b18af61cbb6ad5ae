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

/** @throws ExportDamagedError when the text is no JSON object. */
export function readLine(text: string, lineNumber: number): LineFields {
  return new LineFields(parseLineJson(text, lineNumber), `line ${lineNumber}`)
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

/**
 * The members of one line of an export, each checked: what a file holds is believed of nobody. A class, since a line is
 * read in a few microseconds: closures for each object took a third of that.
 */
export class LineFields {
  private readonly members: Readonly<Record<string, unknown>>
  private readonly where: string

  /** @throws ExportDamagedError when the value is no JSON object. */
  constructor(value: unknown, where: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ExportDamagedError(`${where} of the export is no JSON object`)
    }
    this.members = value as Readonly<Record<string, unknown>>
    this.where = where
  }

  has(name: string): boolean {
    return Object.hasOwn(this.members, name)
  }

  text(name: string): string {
    return asText(this.members[name]) ?? this.refuse('text', name)
  }

  textOrNull(name: string): string | null {
    return this.members[name] === null ? null : this.text(name)
  }

  oneOf<Text extends string>(name: string, texts: readonly Text[]): Text {
    return texts.find((one) => one === this.members[name]) ?? this.refuse('known text', name)
  }

  /** A whole number from 0 to 2^53 - 1. */
  whole(name: string): number {
    return asWhole(this.members[name]) ?? this.refuse('whole number', name)
  }

  wholeOrNull(name: string): number | null {
    return this.members[name] === null ? null : this.whole(name)
  }

  /** As `whole`, but -1 too: the block before the first one. */
  integerOrNull(name: string): number | null {
    return this.members[name] === -1 ? -1 : this.wholeOrNull(name)
  }

  flag(name: string): boolean {
    const value = this.members[name]
    return typeof value === 'boolean' ? value : this.refuse('truth value', name)
  }

  flagOrNull(name: string): boolean | null {
    return this.members[name] === null ? null : this.flag(name)
  }

  /** The decimal digits of a uint64. */
  digits(name: string): bigint {
    return asDigits(this.members[name]) ?? this.refuse('uint64', name)
  }

  hex(name: string): Hex {
    return parseHex(this.textOf(name)) ?? this.refuse('byte string', name)
  }

  address(name: string): Address {
    return parseAddress(this.textOf(name)) ?? this.refuse('address', name)
  }

  addressOrNull(name: string): Address | null {
    return this.members[name] === null ? null : this.address(name)
  }

  hash(name: string): Hash {
    return parseHash(this.textOf(name)) ?? this.refuse('hash', name)
  }

  localId(name: string): LocalId {
    return parseLocalId(this.textOf(name)) ?? this.refuse('id', name)
  }

  chainId(name: string): ChainId {
    return parseChainId(this.textOf(name)) ?? this.refuse('chain number', name)
  }

  object(name: string): LineFields {
    return new LineFields(this.members[name], `"${name}" in ${this.where}`)
  }

  objectOrNull(name: string): LineFields | null {
    return this.members[name] === null ? null : this.object(name)
  }

  objects(name: string): readonly LineFields[] {
    return this.list(name).map((each, index) => new LineFields(each, `"${name}[${index}]" in ${this.where}`))
  }

  texts(name: string): readonly string[] {
    return this.list(name).map((each) => asText(each) ?? this.refuse('texts', name))
  }

  hexes(name: string): readonly Hex[] {
    return this.list(name).map((each) => parseHex(asText(each) ?? '') ?? this.refuse('byte strings', name))
  }

  private list(name: string): readonly unknown[] {
    const value = this.members[name]
    return Array.isArray(value) ? value : this.refuse('list', name)
  }

  private textOf(name: string): string {
    return asText(this.members[name]) ?? ''
  }

  private refuse(what: string, name: string): never {
    throw new ExportDamagedError(`${this.where} of the export has no ${what} as "${name}"`)
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
