import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { maxStalenessDefault } from '@attestry/core/model/chainDoubt.ts'
import { createHash } from 'node:crypto'
import { parseFieldPath } from '@attestry/core/model/fieldValues.ts'
import { describeInput } from '@attestry/server/pipeline/describeInput.ts'
import type { Path } from '@attestry/server/pipeline/parameters/readFieldConditions.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import { canonicalJson } from './canonicalJson.ts'
import { listHolds, type Policy, type Score, type Term } from './policy.ts'
import { collectMistakes, PolicyMistakes } from './policyMistakes.ts'
import { readTypedSetting } from './typedData.ts'
import { readDuration } from '@attestry/server/pipeline/parameters/readDuration.ts'
import { readHolds, type Members } from './readHolds.ts'

/** Bounds of one policy, with the policies that it names. */
const nestingMax = 16
const holdsMax = 64

const termKeys = ['all', 'any', 'not', 'atLeast', 'policy', 'holds'] as const

/** A term that was read: its meaning, and its form without names. */
interface Read {
  readonly term: Term
  readonly written: Members
  /** The least `maxStaleness` of the policies that it names, and its own. */
  readonly maxStaleness: Bound | null
  /** How many terms `holds` it has, with the policies that it names. */
  readonly holdsCount: number
}

interface Bound {
  readonly seconds: number
  readonly text: string
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
  const { mistakes, note: wrong } = collectMistakes()
  /** The named policies that were read; null: wrong. */
  const known = new Map<string, Read | null>()
  /** The names of those that are being read. */
  const underWay = new Set<string>()

  function readPolicy(name: string | null, value: unknown, path: Path): Policy | null {
    const read = name === null ? readWhole(value, path) : readNamed(name)
    if (read === null || !isJsonObject(value)) return null
    if (name === null && value['typedData'] !== undefined) {
      return wrong(
        [...path, 'typedData'],
        'is for policies of the configuration: it says what the server signs',
      )
    }
    const { score, typedData } = value
    const written = {
      ...read.written,
      ...(read.maxStaleness === null ? {} : { maxStaleness: read.maxStaleness.text }),
      ...(score === undefined ? {} : { score }),
    }
    return {
      name,
      term: read.term,
      maxStaleness: read.maxStaleness?.seconds ?? maxStalenessDefault,
      score: readScore(score, [...path, 'score']) ?? { kind: 'pass' },
      typedData: typedData === undefined ? null : readTypedSetting(typedData, [...path, 'typedData'], wrong),
      written,
      hash: createHash('sha256').update(canonicalJson(written)).digest('hex'),
      chainIds: [...new Set(listHolds(read.term).map(({ schema }) => schema.chainId))],
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
    if (!isJsonObject(value))
      return wrong(
        path,
        `must be an object with one of ${termKeys.join(', ')}, but is ${describeInput(value)}`,
      )
    const { maxStaleness, score, typedData: _typedData, ...own } = value
    readScore(score, [...path, 'score'])
    const seconds =
      maxStaleness === undefined ? null : readDuration(maxStaleness, [...path, 'maxStaleness'], wrong)
    const ownBound = seconds === null ? null : { seconds, text: String(maxStaleness) }
    const read = readTerm(own, path, 0)
    return read && { ...read, maxStaleness: leastOf([ownBound, read.maxStaleness]) }
  }

  function readScore(score: unknown, path: Path): Score | null {
    if (score === undefined) return null
    if (score === 'pass' || score === 'count') return { kind: score }
    const text = isJsonObject(score) && Object.keys(score).length === 1 ? score['field'] : null
    const field = typeof text === 'string' ? parseFieldPath(text) : null
    if (field !== null) return { kind: 'field', path: field }
    return wrong(
      path,
      `must be pass, count or an object with field, the path of a field, but is ${describeInput(score)}`,
    )
  }

  function readTerm(value: unknown, path: Path, depth: number): Read | null {
    if (depth > nestingMax) return wrong(path, `lies deeper than ${nestingMax} terms`)
    if (!isJsonObject(value))
      return wrong(
        path,
        `must be an object with one of ${termKeys.join(', ')}, but is ${describeInput(value)}`,
      )
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
        if (read === null) return null
        const { terms, written, ...rest } = read
        return { ...rest, term: { kind: key, terms }, written: { [key]: written } }
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
        const holds = readHolds(value['holds'], inner, wrong)
        return (
          holds && {
            term: { kind: 'holds', holds },
            written: value,
            maxStaleness: null,
            holdsCount: holds.vouch === null ? 1 : 2,
          }
        )
      }
    }
  }

  function readTerms(value: unknown, path: Path, depth: number) {
    if (!Array.isArray(value) || value.length === 0) {
      return wrong(path, `must be a list of one or more terms, but is ${describeInput(value)}`)
    }
    const read = value.map((each: unknown, index) => readTerm(each, [...path, index], depth + 1))
    const whole = read.filter((each) => each !== null)
    if (whole.length < read.length) return null
    // Before anything walks the terms: names within named policies may stand for billions of them.
    const holdsCount = whole.reduce((sum, each) => sum + each.holdsCount, 0)
    if (holdsCount > holdsMax) {
      return wrong(
        path,
        `has ${holdsCount} terms with holds, policies that it names included; at most ${holdsMax} are evaluated`,
      )
    }
    return {
      terms: whole.map(({ term }) => term),
      written: whole.map(({ written }) => written),
      maxStaleness: leastOf(whole.map(({ maxStaleness }) => maxStaleness)),
      holdsCount,
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
        `must be a whole number from 1 to ${most}${bound}, but is ${describeInput(count)}`,
      )
    }
    if (read === null) return null
    const { terms, written, ...rest } = read
    return { ...rest, term: { kind: 'atLeast', count, terms }, written: { atLeast: count, of: written } }
  }

  function readReference(name: unknown, path: Path): Read | null {
    if (typeof name !== 'string' || !Object.hasOwn(configured, name)) {
      const names = Object.keys(configured)
      const there = names.length === 0 ? 'there are none' : names.join(', ')
      return wrong(
        path,
        `must be the name of a policy of the configuration (${there}), but is ${describeInput(name)}`,
      )
    }
    if (underWay.has(name)) {
      return wrong(path, `names the policy ${name}, which names this one: a circle has no verdict`)
    }
    return readNamed(name)
  }

  return { mistakes, readPolicy }
}

/** The least of the bounds that are given; null if none is. */
function leastOf(bounds: readonly (Bound | null)[]): Bound | null {
  return bounds.reduce((least, bound) => {
    if (least === null || bound === null) return least ?? bound
    return bound.seconds < least.seconds ? bound : least
  }, null)
}
