import { createHash } from 'node:crypto'
import { parseCompositeId, type ChainId } from '../../model/compositeId.ts'
import type { FieldCondition } from '../../model/fieldCondition.ts'
import { parseFieldPath } from '../../model/fieldValues.ts'
import { parseAddress, type Address } from '../../model/hex.ts'
import { namedOperators } from '../parameters/fieldParameter.ts'
import { quoteInput } from '../quoteInput.ts'
import { canonicalJson } from './canonicalJson.ts'
import { listHolds, type Holds, type Policy, type Score, type Term } from './policy.ts'

/** Where a mistake of a policy is, and a clause that says what would be right: `must be …`. */
export interface PolicyMistake {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** A policy cannot be used: all of its mistakes. */
export class PolicyMistakes extends Error {
  readonly mistakes: readonly PolicyMistake[]

  constructor(mistakes: readonly PolicyMistake[]) {
    super(mistakes.map(({ path, text }) => `${formatPath(path)} ${text}`).join('; '))
    this.mistakes = mistakes
  }
}

/** The path of a value as people write it: `policy.all[0].holds.attester`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}

/** Bounds of one policy, with the policies that it names. */
const nestingMax = 16
const holdsMax = 64
const attestersMax = 100
const mistakesMax = 20
const maxStalenessDefault = 600
const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

const termKeys = ['all', 'any', 'not', 'atLeast', 'policy', 'holds'] as const

type Path = readonly (string | number)[]
type Members = Readonly<Record<string, unknown>>

/** A part of a policy that was read: its meaning, and the text from which its hash is made. */
interface Read {
  readonly term: Term
  readonly written: unknown
  /** The least `maxStaleness` of the policies that it names. */
  readonly maxStaleness: number | null
}

/**
 * Reads the policies of a configuration, which may name each other.
 * @throws PolicyMistakes with every mistake.
 */
export function parsePolicies(raw: Members): ReadonlyMap<string, Policy> {
  const reader = createReader(raw)
  const policies = new Map<string, Policy>()
  for (const name of Object.keys(raw)) {
    const policy = reader.readPolicy(name, raw[name], ['policies', name])
    if (policy !== null) policies.set(name, policy)
  }
  if (reader.mistakes.length > 0) throw new PolicyMistakes(reader.mistakes)
  return policies
}

/**
 * Reads a policy that came with a request; it may name those of the configuration.
 * @throws PolicyMistakes with every mistake.
 */
export function parsePolicy(value: unknown, configured: Members): Policy {
  const reader = createReader(configured)
  const policy = reader.readPolicy(null, value, ['policy'])
  if (policy === null || reader.mistakes.length > 0) throw new PolicyMistakes(reader.mistakes)
  return policy
}

function createReader(configured: Members) {
  const mistakes: PolicyMistake[] = []
  /** The named policies that were read; null: wrong. */
  const known = new Map<string, Read | null>()
  /** The names of those that are being read. */
  const underWay = new Set<string>()
  /** The first mistakes, each place once: strangers send policies too, and a message lists them all. */
  const places = new Set<string>()
  const wrong = (path: Path, text: string): null => {
    const place = formatPath(path)
    if (mistakes.length < mistakesMax && !places.has(place)) {
      places.add(place)
      mistakes.push({ path, text })
    }
    return null
  }

  function readPolicy(name: string | null, value: unknown, path: Path): Policy | null {
    const read = name === null ? readWhole(value, path) : readNamed(name)
    if (read === null || !isObject(value)) return null
    const all = listHolds(read.term)
    if (all.length > holdsMax) {
      return wrong(
        path,
        `has ${all.length} terms with holds, policies that it names included; at most ${holdsMax} are evaluated`,
      )
    }
    return {
      name,
      term: read.term,
      maxStaleness: read.maxStaleness ?? maxStalenessDefault,
      score: (value['score'] ?? 'pass') as Score,
      hash: createHash('sha256').update(canonicalJson(read.written)).digest('hex'),
      chainIds: [...new Set(all.map(({ schema }) => schema.chainId))],
    }
  }

  function readNamed(name: string): Read | null {
    const found = known.get(name)
    if (found !== undefined) return found
    underWay.add(name)
    const read = readWhole(configured[name], ['policies', name])
    underWay.delete(name)
    known.set(name, read)
    return read
  }

  /** A policy: a term, and what is said of the whole. */
  function readWhole(value: unknown, path: Path): Read | null {
    if (!isObject(value))
      return wrong(path, `must be an object with one of ${termKeys.join(', ')}, but ${was(value)}`)
    const { maxStaleness, score, ...own } = value
    if (score !== undefined && score !== 'pass' && score !== 'count') {
      wrong([...path, 'score'], `must be pass or count, but ${was(score)}`)
    }
    const ownBound = maxStaleness === undefined ? null : readDuration(maxStaleness, [...path, 'maxStaleness'])
    const read = readTerm(own, path, 0)
    if (read === null) return null
    return {
      term: read.term,
      written: {
        ...(read.written as object),
        ...(maxStaleness === undefined ? {} : { maxStaleness }),
        ...(score === undefined ? {} : { score }),
      },
      maxStaleness: leastOf([ownBound, read.maxStaleness]),
    }
  }

  function readTerm(value: unknown, path: Path, depth: number): Read | null {
    if (depth > nestingMax) return wrong(path, `lies deeper than ${nestingMax} terms`)
    if (!isObject(value))
      return wrong(path, `must be an object with one of ${termKeys.join(', ')}, but ${was(value)}`)
    const keys = Object.keys(value)
    const chosen = termKeys.filter((key) => keys.includes(key))
    const [key, ...others] = chosen
    if (key === undefined || others.length > 0) {
      const found = keys.length === 0 ? 'has none' : `has ${keys.map(quoteInput).join(', ')}`
      return wrong(path, `must have exactly one of ${termKeys.join(', ')}, but ${found}`)
    }
    const foreign = keys.find((each) => each !== key && !(key === 'atLeast' && each === 'of'))
    if (foreign !== undefined) return wrong([...path, foreign], `is no member beside ${key}`)
    const inner = [...path, key]
    switch (key) {
      case 'all':
      case 'any': {
        const read = readTerms(value[key], inner, depth)
        return read && { ...read, term: { kind: key, terms: read.terms }, written: { [key]: read.written } }
      }
      case 'atLeast':
        return readAtLeast(value, path, depth)
      case 'not': {
        const read = readTerm(value['not'], inner, depth + 1)
        return read && { ...read, term: { kind: 'not', term: read.term }, written: { not: read.written } }
      }
      case 'policy':
        return readReference(value['policy'], inner)
      case 'holds': {
        const holds = readHolds(value['holds'], inner)
        return holds && { term: { kind: 'holds', holds }, written: value, maxStaleness: null }
      }
    }
  }

  function readTerms(value: unknown, path: Path, depth: number) {
    if (!Array.isArray(value) || value.length === 0) {
      return wrong(path, `must be a list of one or more terms, but ${was(value)}`)
    }
    const read = value.map((each: unknown, index) => readTerm(each, [...path, index], depth + 1))
    const whole = read.filter((each) => each !== null)
    if (whole.length < read.length) return null
    return {
      terms: whole.map(({ term }) => term),
      written: whole.map(({ written }) => written),
      maxStaleness: leastOf(whole.map(({ maxStaleness }) => maxStaleness)),
    }
  }

  function readAtLeast(value: Members, path: Path, depth: number): Read | null {
    const read = readTerms(value['of'], [...path, 'of'], depth)
    const count = value['atLeast']
    const most = read?.terms.length ?? holdsMax
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > most) {
      const bound = read === null ? '' : `, the number of terms in of`
      return wrong(
        [...path, 'atLeast'],
        `must be a whole number from 1 to ${most}${bound}, but ${was(count)}`,
      )
    }
    return (
      read && {
        ...read,
        term: { kind: 'atLeast', count, terms: read.terms },
        written: { atLeast: count, of: read.written },
      }
    )
  }

  function readReference(name: unknown, path: Path): Read | null {
    if (typeof name !== 'string' || !Object.hasOwn(configured, name)) {
      const names = Object.keys(configured)
      const there = names.length === 0 ? 'there are none' : names.join(', ')
      return wrong(path, `must be the name of a policy of the configuration (${there}), but ${was(name)}`)
    }
    if (underWay.has(name)) {
      return wrong(path, `names the policy ${name}, which names this one: a circle has no verdict`)
    }
    return readNamed(name)
  }

  function readHolds(value: unknown, path: Path): Holds | null {
    const names = [
      'schema',
      'protocol',
      'chainId',
      'attester',
      'recipient',
      'field',
      'maxAge',
      'distinctAttesters',
    ]
    if (!isObject(value)) return wrong(path, `must be an object with ${names.join(', ')}, but ${was(value)}`)
    for (const name of Object.keys(value)) {
      if (!names.includes(name))
        wrong([...path, name], `is no member of holds; its members are ${names.join(', ')}`)
    }
    const schema = readSchema(value, path)
    const role = value['recipient'] ?? 'subject'
    if (role !== 'subject' && role !== 'attester') {
      wrong(
        [...path, 'recipient'],
        `must be subject (the subject received the attestation) or attester (it made the attestation), but ${was(role)}`,
      )
    }
    const attesters = readAttesters(value['attester'], [...path, 'attester'])
    const fields = readFields(value['field'], [...path, 'field'])
    const maxAge = value['maxAge'] === undefined ? null : readDuration(value['maxAge'], [...path, 'maxAge'])
    const attestersMin = value['distinctAttesters'] ?? 1
    if (
      typeof attestersMin !== 'number' ||
      !Number.isInteger(attestersMin) ||
      attestersMin < 1 ||
      attestersMin > attestersMax
    ) {
      return wrong(
        [...path, 'distinctAttesters'],
        `must be a whole number from 1 to ${attestersMax}, but ${was(attestersMin)}`,
      )
    }
    if (Array.isArray(attesters) && attesters.length < attestersMin) {
      return wrong(
        [...path, 'distinctAttesters'],
        `must be at most ${attesters.length}, the number of attesters, but is ${attestersMin}`,
      )
    }
    if (schema === null || attesters === undefined) return null
    return {
      schema,
      attesters,
      role: role === 'attester' ? 'attester' : 'recipient',
      fields,
      attestersMin,
      maxAge,
    }
  }

  function readSchema({ schema, protocol, chainId }: Members, path: Path): Holds['schema'] | null {
    const must = 'must be the composite id of a schema such as onchain_evm_10_0x8'
    const text =
      typeof schema === 'string' && /^0x[0-9a-f]+$/i.test(schema) && isChainId(chainId)
        ? `onchain_evm_${chainId}_${schema}`
        : schema
    const parsed = typeof text === 'string' ? parseCompositeId(text) : null
    if (parsed?.kind !== 'record') {
      return wrong([...path, 'schema'], `${must}, or its local id beside chainId, but ${was(schema)}`)
    }
    if (chainId !== undefined && !(isChainId(chainId) && String(chainId) === String(parsed.key.chainId))) {
      return wrong(
        [...path, 'chainId'],
        `must be ${parsed.key.chainId}, the chain of the schema, but ${was(chainId)}`,
      )
    }
    if (protocol !== undefined && typeof protocol !== 'string') {
      return wrong([...path, 'protocol'], `must be the name of a protocol, but ${was(protocol)}`)
    }
    return protocol === undefined ? parsed.key : { ...parsed.key, protocol }
  }

  /** undefined: a mistake; null: anyone. */
  function readAttesters(value: unknown, path: Path): readonly Address[] | null | undefined {
    if (value === 'any') return null
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (value === undefined || list.length === 0 || list.length > attestersMax) {
      wrong(
        path,
        `must be a list of 1 to ${attestersMax} addresses, or any: every account may attest under a schema, but ${was(value)}`,
      )
      return undefined
    }
    const addresses = list.map((each, index) => {
      const address = typeof each === 'string' ? parseAddress(each) : null
      if (address !== null) return address
      const at = Array.isArray(value) ? [...path, index] : path
      return wrong(at, `must be an address of 0x and 40 hexadecimal digits, but ${was(each)}`)
    })
    const whole = addresses.filter((each) => each !== null)
    return whole.length < addresses.length ? undefined : [...new Set(whole)]
  }

  function readFields(value: unknown, path: Path): readonly FieldCondition[] {
    if (value === undefined) return []
    if (!isObject(value)) {
      wrong(path, `must be an object of the names of fields and their values, but ${was(value)}`)
      return []
    }
    return Object.entries(value).flatMap(([name, wanted]) => readField(name, wanted, [...path, name]))
  }

  function readField(name: string, wanted: unknown, at: Path): readonly FieldCondition[] {
    const fieldPath = parseFieldPath(name)
    if (fieldPath === null) {
      wrong(at, 'must be the path of a field: names with dots between them')
      return []
    }
    if (!isObject(wanted)) {
      const text = readOperand(wanted, at)
      return text === null ? [] : [{ path: fieldPath, operator: 'equals', values: [text] }]
    }
    return Object.entries(wanted).flatMap(([key, operand]): FieldCondition[] => {
      const operator = namedOperators.find((each) => each === key)
      if (operator === undefined) {
        wrong([...at, key], `is no operator; the operators are ${namedOperators.join(', ')}`)
        return []
      }
      const list: readonly unknown[] = operator === 'in' && Array.isArray(operand) ? operand : [operand]
      const values = list.map((each) => readOperand(each, [...at, key])).filter((each) => each !== null)
      return values.length === 0 ? [] : [{ path: fieldPath, operator, values }]
    })
  }

  function readOperand(value: unknown, path: Path): string | null {
    if (typeof value === 'string') return value
    if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value)
    return wrong(path, `must be a text, a whole number or true or false, but ${was(value)}`)
  }

  function readDuration(value: unknown, path: Path): number | null {
    const [, digits = '', unit = ''] =
      typeof value === 'string' ? (/^([0-9]{1,9})(s|m|h|d|w)$/.exec(value) ?? []) : []
    const seconds = Number(digits) * (secondsOf[unit] ?? 0)
    if (seconds > 0) return seconds
    return wrong(path, `must be a number and a unit (s, m, h, d, w) such as 365d, but ${was(value)}`)
  }

  return { mistakes, readPolicy }
}

/** The least of the bounds that are given; null where none is. */
function leastOf(bounds: readonly (number | null)[]): number | null {
  const given = bounds.filter((bound) => bound !== null)
  return given.length === 0 ? null : Math.min(...given)
}

function isChainId(value: unknown): value is ChainId | string {
  return (
    (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) ||
    (typeof value === 'string' && /^[1-9][0-9]*$/.test(value))
  )
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function was(value: unknown): string {
  if (value === undefined) return 'is missing'
  if (value === null) return 'is null'
  if (Array.isArray(value)) return value.length === 0 ? 'is an empty list' : 'is a list'
  if (typeof value === 'object') return 'is an object'
  return `is ${typeof value === 'string' ? quoteInput(value) : JSON.stringify(value)}`
}
