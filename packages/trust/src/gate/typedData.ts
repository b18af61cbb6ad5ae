import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import { describeInput } from '@attestry/server/pipeline/describeInput.ts'
import type { NoteMistake, Path } from '@attestry/server/pipeline/parameters/readFieldConditions.ts'
import {
  hashStruct,
  hashTypedData,
  listStructs,
  readListType,
  type StructTypes,
} from '../statements/eip712.ts'
import { UnreadableInput } from '../statements/unreadable.ts'
import { formatPath } from './policyMistakes.ts'

/** The domain of typed data (EIP-712); a contract's own domain may lack members. */
export type TypedDomain = Readonly<Record<string, string | number>>

/** Typed data that an `allow` is signed as. */
export interface TypedForm {
  readonly domain: TypedDomain
  readonly primaryType: string
  /** Without `EIP712Domain`. */
  readonly types: StructTypes
  /** The message of `primaryType`, with placeholders in place of what each verdict says. */
  readonly message: unknown
}

/** `policies.<name>.typedData`. A null `own` stands for the type `Verdict`. */
export interface TypedSetting {
  readonly domain: TypedDomain
  readonly own: TypedForm | null
}

/** The values of a verdict by the placeholders of a message. */
export interface TypedValues {
  readonly $subject: string
  /** `0x` and the hash of the policy. */
  readonly $policy: string
  /** The chain of `$blockNumber`, as decimal digits. */
  readonly $chainId: string
  readonly $blockNumber: number
  readonly $blockHash: string
  /** Unix seconds, as `$expiresAt`. */
  readonly $issuedAt: number
  readonly $expiresAt: number
  readonly $nonce: bigint
}

type Placeholder = keyof TypedValues

/** The types of fields that each placeholder fits. Times have to fit until the year 2106. */
const fittingTypes: Readonly<Record<Placeholder, { readonly test: RegExp; readonly told: string }>> = (() => {
  const address = { test: /^address$/, told: 'address' }
  const bytes32 = { test: /^bytes32$/, told: 'bytes32' }
  const uint = (least: number) => ({
    test: new RegExp(`^uint(?:${sizes(least).join('|')})$`),
    told: `uint${least} or wider`,
  })
  return {
    $subject: address,
    $policy: bytes32,
    $chainId: uint(256),
    $blockNumber: uint(64),
    $blockHash: bytes32,
    $issuedAt: uint(32),
    $expiresAt: uint(32),
    $nonce: uint(64),
  }
})()

function sizes(least: number): readonly number[] {
  return Array.from({ length: 32 }, (_, index) => 8 * (index + 1)).filter((size) => size >= least)
}

const domainTypes: Readonly<Record<string, string>> = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
}

/** The type that verdicts are signed as by default; `contracts/AttestryVerdict.sol` checks it. */
export const verdictForm: Omit<TypedForm, 'domain'> = {
  primaryType: 'Verdict',
  types: {
    Verdict: [
      ['subject', 'address'],
      ['policy', 'bytes32'],
      ['chainId', 'uint256'],
      ['blockNumber', 'uint64'],
      ['blockHash', 'bytes32'],
      ['issuedAt', 'uint64'],
      ['expiresAt', 'uint64'],
      ['nonce', 'uint256'],
    ],
  },
  message: {
    subject: '$subject',
    policy: '$policy',
    chainId: '$chainId',
    blockNumber: '$blockNumber',
    blockHash: '$blockHash',
    issuedAt: '$issuedAt',
    expiresAt: '$expiresAt',
    nonce: '$nonce',
  },
}

/** The message of a form with the values of a verdict. Integers wider than 64 bits are decimal digits. */
export function fillMessage({ types, primaryType, message }: TypedForm, values: TypedValues): unknown {
  return mapLeaves(types, primaryType, message, (value, type) => {
    if (typeof value !== 'string' || !isPlaceholder(value)) return value
    if (value !== '$nonce') return values[value]
    const bits = widthOf(type)
    const nonce = BigInt.asUintN(bits, values.$nonce)
    return bits > 64 || nonce > Number.MAX_SAFE_INTEGER ? String(nonce) : Number(nonce)
  })
}

/** The width of the narrowest field that holds the nonce, in bits; null if the message has none. */
export function nonceBits({ types, primaryType, message }: TypedForm): number | null {
  const widths: number[] = []
  mapLeaves(types, primaryType, message, (value, type) => {
    if (value === '$nonce') widths.push(widthOf(type))
    return value
  })
  return widths.length === 0 ? null : Math.min(...widths)
}

/** The hash that a wallet signs for a message of a form (EIP-712). */
export function hashMessage({ domain, types, primaryType }: TypedForm, message: unknown): Uint8Array {
  const fields = Object.entries(domainTypes).filter(([name]) => Object.hasOwn(domain, name))
  const separator = hashStruct({ EIP712Domain: fields }, 'EIP712Domain', domain, 'domain')
  return hashTypedData(separator, hashStruct(types, primaryType, message, 'message'))
}

/**
 * Reads `typedData` of a policy of the configuration.
 * @returns null after a mistake, which `wrong` has noted.
 */
export function readTypedSetting(value: unknown, path: Path, wrong: NoteMistake): TypedSetting | null {
  const names = ['domain', 'primaryType', 'types', 'message']
  if (!isJsonObject(value)) {
    return wrong(path, `must be an object with ${names.join(', ')}, but is ${describeInput(value)}`)
  }
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) {
      return wrong([...path, name], `is no member of typedData; its members are ${names.join(', ')}`)
    }
  }
  const { primaryType, message } = value
  const isOwn = ['primaryType', 'types', 'message'].some((name) => value[name] !== undefined)
  const domain = readDomain(value['domain'], [...path, 'domain'], isOwn, wrong)
  if (!isOwn) return domain && { domain, own: null }
  const types = readTypes(value['types'], [...path, 'types'], wrong)
  if (domain === null || types === null) return null
  if (typeof primaryType !== 'string' || !Object.hasOwn(types, primaryType)) {
    const there = Object.keys(types).join(', ')
    return wrong(
      [...path, 'primaryType'],
      `must be the name of one of types (${there}), but is ${describeInput(primaryType)}`,
    )
  }
  const used = listStructs(types, primaryType)
  const unused = Object.keys(types).find((name) => !used.includes(name))
  if (unused !== undefined) return wrong([...path, 'types', unused], `is no part of ${primaryType}`)
  return readMessage({ domain, types, primaryType, message }, [...path, 'message'], wrong)
}

function readDomain(value: unknown, path: Path, isOwn: boolean, wrong: NoteMistake): TypedDomain | null {
  const names = isOwn ? Object.keys(domainTypes) : ['chainId', 'verifyingContract']
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    return wrong(path, `must be an object with some of ${names.join(', ')}, but is ${describeInput(value)}`)
  }
  const domain: Record<string, string | number> = {}
  for (const [name, member] of Object.entries(value)) {
    const type = domainTypes[name]
    if (type === undefined || !names.includes(name)) {
      const fixed = isOwn ? '' : `: the domain of Verdict is named Attestry, version 1`
      return wrong([...path, name], `is no member of the domain; its members are ${names.join(', ')}${fixed}`)
    }
    const read = readLeaf(type, member, [...path, name], wrong)
    if (typeof read !== 'string' && typeof read !== 'number') return null
    domain[name] = read
  }
  return domain
}

const namePattern = /^[A-Za-z_$][\w$]*$/
const leafPattern =
  /^(?:address|bool|string|bytes(?:[1-9]|[12][0-9]|3[0-2])?|u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256))$/

function readTypes(value: unknown, path: Path, wrong: NoteMistake): StructTypes | null {
  const must = 'must be an object of types, each a list of fields with name and type'
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    return wrong(path, `${must}, but is ${describeInput(value)}`)
  }
  const types: Record<string, StructTypes[string]> = {}
  for (const [name, fields] of Object.entries(value)) {
    const place = [...path, name]
    if (name === 'EIP712Domain') return wrong(place, 'follows from domain; leave it out')
    if (!namePattern.test(name) || leafPattern.test(name)) return wrong(place, 'is no name of a type')
    if (!Array.isArray(fields) || fields.length === 0) {
      return wrong(place, `must be a list of fields with name and type, but is ${describeInput(fields)}`)
    }
    const read: [string, string][] = []
    for (const [index, field] of (fields as readonly unknown[]).entries()) {
      const at = [...place, index]
      const { name: own, type } = isJsonObject(field) ? field : {}
      if (typeof own !== 'string' || !namePattern.test(own) || read.some(([other]) => other === own)) {
        return wrong([...at, 'name'], `must be a name of its own, but is ${describeInput(own)}`)
      }
      const inner = typeof type === 'string' ? type.replace(/(?:\[[0-9]*\])*$/, '') : ''
      if (typeof type !== 'string' || !(leafPattern.test(inner) || Object.hasOwn(value, inner))) {
        return wrong(
          [...at, 'type'],
          `must be a type of Solidity in full, such as address or uint256, or one of types, but is ${describeInput(type)}`,
        )
      }
      read.push([own, type])
    }
    types[name] = read
  }
  return types
}

/** Reads the message: constants in the form in which answers show them, and placeholders as they are. */
function readMessage(form: TypedForm, path: Path, wrong: NoteMistake): TypedSetting | null {
  const found = new Set<string>()
  let isWrong = false
  const note: NoteMistake = (place, text) => {
    isWrong = true
    return wrong(place, text)
  }
  const { types, primaryType } = form
  const message = mapLeaves(
    types,
    primaryType,
    form.message,
    (value, type, place) => {
      if (typeof value === 'string' && isPlaceholder(value)) found.add(value)
      return readLeaf(type, value, [...path, ...place], note)
    },
    (place, text) => note([...path, ...place], text),
  )
  if (isWrong) return null
  if (!found.has('$subject')) {
    return wrong(
      path,
      'must have $subject in a field of type address: otherwise whoever has the signature may pass',
    )
  }
  const own = { ...form, message }
  try {
    hashMessage(own, fillMessage(own, sampleValues))
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error
    return wrong(path, `cannot be signed: ${error.message}`)
  }
  return { domain: form.domain, own }
}

const sampleValues: TypedValues = {
  $subject: zeroAddress,
  $policy: zeroHash,
  $chainId: '1',
  $blockNumber: 1,
  $blockHash: zeroHash,
  $issuedAt: 1,
  $expiresAt: 1,
  $nonce: 1n,
}

/** A value of a type that holds no others, or a placeholder that fits the type. */
function readLeaf(type: string, value: unknown, path: Path, wrong: NoteMistake): unknown {
  if (typeof value === 'string' && isPlaceholder(value)) {
    const { test, told } = fittingTypes[value]
    return test.test(type) ? value : wrong(path, `has the type ${type}; ${value} is for ${told}`)
  }
  if (typeof value === 'string' && value.startsWith('$') && type !== 'string') {
    const there = Object.keys(fittingTypes).join(', ')
    return wrong(path, `must be a value or one of ${there}, but is ${describeInput(value)}`)
  }
  try {
    // Checks the value against the type.
    hashStruct({ Value: [['value', type]] }, 'Value', { value }, '')
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error
    return wrong(path, `must be a value of the type ${type}, but is ${describeInput(value)}`)
  }
  const address = type === 'address' && typeof value === 'string' ? parseAddress(value) : null
  return address === null ? value : checksumAddress(address)
}

/** A value of JSON with another value in place of each that is of no struct and no list. */
function mapLeaves(
  types: StructTypes,
  type: string,
  value: unknown,
  map: (value: unknown, type: string, path: Path) => unknown,
  wrong: NoteMistake = refuse,
  path: Path = [],
): unknown {
  const list = readListType(type)
  if (list !== null) {
    if (!Array.isArray(value)) return wrong(path, `must be a list, but is ${describeInput(value)}`)
    return value.map((item: unknown, index) =>
      mapLeaves(types, list.item, item, map, wrong, [...path, index]),
    )
  }
  if (!Object.hasOwn(types, type)) return map(value, type, path)
  const names = (types[type] ?? []).map(([name]) => name)
  if (!isJsonObject(value)) {
    return wrong(path, `must be an object with ${names.join(', ')}, but is ${describeInput(value)}`)
  }
  const foreign = Object.keys(value).find((name) => !names.includes(name))
  if (foreign !== undefined) {
    return wrong([...path, foreign], `is no field of ${type}; its fields are ${names.join(', ')}`)
  }
  const fields = (types[type] ?? []).map(([name, inner]) => {
    return [name, mapLeaves(types, inner, value[name], map, wrong, [...path, name])] as const
  })
  return Object.fromEntries(fields)
}

function refuse(path: Path, text: string): never {
  throw new TypeError(`a message that was read is wrong: ${formatPath(path)} ${text}`)
}

function isPlaceholder(text: string): text is Placeholder {
  return Object.hasOwn(fittingTypes, text)
}

function widthOf(type: string): number {
  return Number(type.slice('uint'.length))
}
