import { editDistance } from '@attestry/core/model/editDistance.ts'
import { quoteInput } from '../quoteInput.ts'
import { attestationFilterParameters } from './attestationFilterParameters.ts'
import { namesOfFilters, namesOfOrders, otherNames } from './otherNames.ts'
import type { Parameter, ParameterSet } from './parameter.ts'
import { schemaFilterParameters } from './schemaFilterParameters.ts'

/**
 * Judges the name of a parameter that an endpoint does not know: the message of a refusal, or null if the parameter
 * is ignored.
 * @param mayBeMistyped whether known names with a mistyped letter are looked for, which takes some 20 µs.
 */
export type JudgeName = (name: string, mayBeMistyped?: boolean) => string | null

/** Longer names than this mean nothing that is known here. */
const lengthMax = 64

/**
 * Makes the judge of the names that an endpoint does not know. A filter that is ignored passes every record, and people
 * decide about access by the answers. So a name is refused in these cases, in this order:
 * 1. It is a known name in another case or with other separators, in brackets or with an operator at the end.
 * 2. Other interfaces use it for what a known parameter means.
 * 3. It is a known name with a letter or two mistyped.
 * 4. It is a filter of another path, on a path that answers for more than one record.
 * 5. It is a member of the body.
 * 6. It is `asOf`, on a path that answers only from the newest state.
 * Clients of the original service send further names, such as `id`, `network`, `parseOffChainData` and values
 * against caches: they are ignored.
 * @param bodyMembers the members of the body, if the endpoint reads one.
 */
export function createNameJudge(set: ParameterSet, bodyMembers: readonly string[] = []): JudgeName {
  const parameters = Object.values<Parameter<unknown>>(set)
  const asked = parameters.filter((parameter) => parameter.in === 'query')
  const names = asked.map(({ name }) => name)
  // The name that a message advises, by every spelling of it.
  const bySpelling = new Map(
    asked.flatMap(({ name, synonym }) =>
      [name, ...(synonym === undefined ? [] : [synonym.name])].map((spelt) => [plain(spelt), name]),
    ),
  )
  const isOfOneRecord = parameters.some(({ in: place, name }) => place === 'path' && recordNames.has(name))
  const isListing = names.includes('size')
  const filters = names.filter((name) => filterNames.has(plain(name)))
  const rest = names.length === 0 ? 'it takes none' : `its parameters are ${names.join(', ')}`

  /** The parameters that a name means here, at least one; null for an unknown name. */
  function meaningOf(spelt: string): readonly string[] | null {
    const own = bySpelling.get(spelt)
    if (own !== undefined) return [own]
    const group = otherNames.get(spelt)?.find((candidates) => candidates.some((name) => names.includes(name)))
    return group?.filter((name) => names.includes(name)) ?? null
  }

  function isFilterElsewhere(spelt: string): boolean {
    if (isOfOneRecord) return false
    const meant = isListing ? (otherNames.get(spelt) ?? []).flat() : []
    return [spelt, ...meant.map(plain)].some((each) => filterNames.has(each))
  }

  return (name, mayBeMistyped = true) => {
    if (name.length > lengthMax) return null
    const spellings = spellingsOf(name)
    const refusal = `${quoteInput(name)} is no parameter of this path`
    for (const spelt of spellings) {
      const meant = meaningOf(spelt)
      if (meant !== null) return `${refusal}; use ${meant.join(' or ')}.`
    }
    const member = bodyMembers.find((each) => spellings.includes(plain(each)))
    if (member !== undefined) return `${refusal}: ${member} is a member of its body; send it there.`
    if (spellings.includes('asof'))
      return `${refusal}, which answers from the newest state alone; leave it out.`
    for (const spelt of spellings) {
      if (isListing && namesOfOrders.has(spelt)) {
        return (
          refusal + (names.includes('order') ? '; use order.' : ': its rows have one order; leave it out.')
        )
      }
      if (!namesOfFilters.has(spelt)) continue
      if (filters.length > 0) {
        return `${refusal}: each filter is a parameter of its own, such as ${filters.slice(0, 3).join(', ')}.`
      }
      if (isListing) return `${refusal}; ${rest}.`
    }
    const near = mayBeMistyped
      ? [...bySpelling].find(([spelt]) => spellings.some((each) => isNear(each, spelt)))
      : undefined
    if (near !== undefined) return `${refusal}; use ${near[1]}.`
    return spellings.some(isFilterElsewhere) ? `${refusal}; ${rest}.` : null
  }
}

/** Parameters of paths that name one record. */
const recordNames: ReadonlySet<string> = new Set(['id', 'hash', 'chainId'])

/** The parameters that leave records out, of all paths. */
const filterNames: ReadonlySet<string> = new Set(
  [
    ...Object.values(attestationFilterParameters),
    ...Object.values(schemaFilterParameters),
    { name: 'keyword' },
  ].map(({ name }) => plain(name)),
)

/** A name without case and separators. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Operators that some interfaces put behind the name of a filter. */
const operator =
  /[_.$[\]]+(eq|equals|ne|neq|not|in|nin|gte?|lte?|contains|contain|has|is|like|starts_?with)\]?$/i

/**
 * The spellings under which a name may be known, without case and separators. They are the whole name, the name without
 * its operator, the singular, and the member and the subject of a name with brackets or dots.
 */
function spellingsOf(name: string): readonly string[] {
  if (/^[a-z0-9]*$/i.test(name)) {
    const spelt = name.toLowerCase()
    return isPlural(spelt) ? [spelt, spelt.slice(0, -1)] : [spelt]
  }
  const parts = name.split(/[[\].]+/).filter((part) => part !== '')
  const whole = [name, name.replace(operator, '')]
  const spellings = [...whole, ...parts.toReversed()].map(plain)
  const singular = spellings.filter(isPlural).map((spelt) => spelt.slice(0, -1))
  return [...new Set([...spellings, ...singular])]
}

function isPlural(spelt: string): boolean {
  return /[a-z]{3}s$/.test(spelt)
}

/** Whether one name is the other with a letter or two added, left out, replaced or swapped, by its length. */
function isNear(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length)
  const editsMax = length >= 8 ? 2 : length >= 4 ? 1 : 0
  return Math.abs(a.length - b.length) <= editsMax && editDistance(a, b) <= editsMax
}
