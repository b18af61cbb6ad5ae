import { BadParameterError, NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { createNameJudge, type JudgeName } from './judgeName.ts'
import type { Parameter, ParameterSet, ParameterValues, SentParameter } from './parameter.ts'

/** Reads the parameters of one endpoint from a request. */
export type ParameterReader<Set extends ParameterSet> = (
  pathParameters: Readonly<Record<string, string>>,
  url: string,
) => ReadRequest<Set>

export interface ReadRequest<Set extends ParameterSet> {
  readonly values: ParameterValues<Set>
  /** The names of the parameters that were ignored, decoded where that is possible, each once. */
  readonly ignored: readonly string[]
  /** The URL without ignored parameters: the same for all requests that are answered alike but for them. */
  readonly url: string
}

export interface ReaderOptions {
  /**
   * Whether the text `undefined` means that a parameter is absent: some clients write out members that their callers
   * left undefined. False by default.
   */
  readonly undefinedIsAbsent?: boolean
  /** The members of the body: one that stands in the query is a mistake. None by default. */
  readonly bodyMembers?: readonly string[]
}

/**
 * Makes the reader of a set of parameters, over the raw query string. A known parameter must be valid percent-encoded
 * UTF-8 without NUL and occur once. A name that means a known parameter, by `createNameJudge`, is refused; any other is
 * ignored, however malformed.
 */
export function createParameterReader<const Set extends ParameterSet>(
  set: Set,
  { undefinedIsAbsent = false, bodyMembers = [] }: ReaderOptions = {},
): ParameterReader<Set> {
  const entries = Object.entries<Parameter<unknown>>(set)
  const pathEntries = entries.filter(([, parameter]) => parameter.in === 'path')
  const queryEntries = entries.filter(([, parameter]) => parameter.in === 'query')
  const required = queryEntries.filter(([, parameter]) => parameter.absent === null)
  // The values of a request that sends none. Each request starts with a copy, which costs less than its parts.
  const absentValues = Object.fromEntries(
    entries.map(([property, { absent }]): [string, unknown] => [property, absent?.value]),
  )
  const rules = {
    known: knownParameters(queryEntries),
    judgeName: createNameJudge(set, bodyMembers),
    undefinedIsAbsent,
  }

  return (pathParameters, url) => {
    const values = { ...absentValues }
    const ignored = readQuery(rules, url, values)
    for (const [property, parameter] of pathEntries) {
      values[property] = readPathParameter(parameter, pathParameters)
    }
    for (const [property, { name }] of required) {
      if (values[property] === undefined) throw new BadParameterError(`${name} is missing; it is required.`)
    }
    return {
      // Every property of the set is that of an absent parameter, or was read by the parameter of that property.
      values: values as ParameterValues<Set>,
      ignored: ignored === null ? none : [...ignored.names],
      url: ignored === null ? url : withoutPieces(url, ignored.pieces),
    }
  }
}

const none: readonly string[] = []

/** A name in a query, with the parameter that it means and the property that its value has. */
interface KnownName {
  readonly name: string
  readonly property: string
  readonly parameter: Parameter<unknown>
  readonly read: (text: string) => unknown
}

type KnownNames = ReadonlyMap<string, KnownName>

function knownParameters(entries: readonly (readonly [string, Parameter<unknown>])[]): KnownNames {
  return new Map(
    entries.flatMap(([property, parameter]) =>
      [parameter, ...(parameter.synonym === undefined ? [] : [parameter.synonym])].map(
        ({ name, read }): [string, KnownName] => [name, { name, property, parameter, read }],
      ),
    ),
  )
}

interface ReadingRules {
  readonly known: KnownNames
  readonly judgeName: JudgeName
  readonly undefinedIsAbsent: boolean
}

/**
 * Behind so many unknown parameters, names are no longer held against mistyped ones: a URL full of them would take 25 ms.
 */
const mistypedMax = 16

/** The names of a query beyond the known parameters. */
interface IgnoredPieces {
  readonly names: Set<string>
  /** Pieces of the query, as they were sent. */
  readonly pieces: Set<string>
}

/**
 * Reads the known parameters in a query into the values of a request.
 * @returns what was ignored; null for nothing.
 */
function readQuery(
  { known, judgeName, undefinedIsAbsent }: ReadingRules,
  url: string,
  values: Record<string, unknown>,
): IgnoredPieces | null {
  const queryStart = url.indexOf('?')
  if (queryStart === -1) return null
  const sent = new Set<string>()
  const bracketed = new Map<KnownName, SentParameter[]>()
  const isAbsent = (text: string) => text === '' || (undefinedIsAbsent && text === 'undefined')
  let ignored: IgnoredPieces | null = null
  for (const piece of url.slice(queryStart + 1).split('&')) {
    const [rawName, rawValue] = splitPiece(piece)
    const decodedName = decodeQueryText(rawName)
    const found = known.get(rawName) ?? known.get(decodedName ?? '')
    if (found !== undefined) {
      const { name, parameter } = found
      if (sent.has(name))
        throw new BadParameterError(`${name} is given more than once; give it at most once.`)
      sent.add(name)
      const text = decodeValue(name, rawValue)
      if (undefinedIsAbsent && text === 'undefined' && parameter.absent !== null) continue
      readKnown(found, text, sent, values)
      continue
    }
    const family = known.get(/^\w+(?=\[|%5b)/i.exec(decodedName ?? rawName)?.[0] ?? '')
    if (family?.parameter.readAll !== undefined) {
      const { name } = family.parameter
      const sentOne = { name: decodeText(name, rawName), text: decodeText(name, rawValue) }
      bracketed.set(family, [...(bracketed.get(family) ?? []), sentOne])
      continue
    }
    if (piece === '') continue
    const mayBeMistyped = (ignored?.names.size ?? 0) < mistypedMax
    const refusal = isAbsent(rawValue) ? null : judgeName(decodedName ?? rawName, mayBeMistyped)
    if (refusal !== null) throw new BadParameterError(refusal)
    ignored ??= { names: new Set(), pieces: new Set() }
    if (rawName !== '') ignored.names.add(decodedName ?? rawName)
    ignored.pieces.add(piece)
  }
  for (const [{ property, parameter }, all] of bracketed) values[property] = parameter.readAll?.(all)
  return ignored
}

/** Reads a value. If both names of a parameter are sent, one without a meaning gives way to the other. */
function readKnown(
  { name, property, parameter, read }: KnownName,
  text: string,
  sent: ReadonlySet<string>,
  values: Record<string, unknown>,
): void {
  const value = read(text)
  const { synonym, absent } = parameter
  const other = synonym === undefined ? undefined : name === synonym.name ? parameter.name : synonym.name
  if (other === undefined || !sent.has(other)) {
    values[property] = value
    return
  }
  const earlier = values[property]
  if (isSame(value, absent?.value)) return
  if (!isSame(earlier, absent?.value) && !isSame(earlier, value)) {
    throw new BadParameterError(`${other} and ${name} mean the same, and differ; give one of them.`)
  }
  values[property] = value
}

/** Whether two values of a parameter are equal; values are plain data. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** The URL without pieces of its query. */
function withoutPieces(url: string, pieces: ReadonlySet<string>): string {
  const queryStart = url.indexOf('?')
  const rest = url
    .slice(queryStart + 1)
    .split('&')
    .filter((piece) => piece !== '' && !pieces.has(piece))
    .join('&')
  return rest === '' ? url.slice(0, queryStart) : `${url.slice(0, queryStart)}?${rest}`
}

/** An empty segment makes another path, not a malformed parameter. */
function readPathParameter<Value>(
  parameter: Parameter<Value>,
  pathParameters: Readonly<Record<string, string>>,
): Value {
  const text = pathParameters[parameter.name] ?? ''
  if (text === '') throw new NotFoundError(`The ${parameter.name} in the path is empty; give one.`)
  return parameter.read(text)
}

function splitPiece(piece: string): [name: string, value: string] {
  const equals = piece.indexOf('=')
  return equals === -1 ? [piece, ''] : [piece.slice(0, equals), piece.slice(equals + 1)]
}

function decodeText(name: string, raw: string): string {
  const text = decodeQueryText(raw)
  if (text === null) {
    throw new BadParameterError(`${name} is not percent-encoded UTF-8; encode it as encodeURIComponent does.`)
  }
  return text
}

function decodeValue(name: string, raw: string): string {
  const text = decodeText(name, raw)
  if (text.includes('\0')) throw new BadParameterError(`${name} holds a NUL character; leave it out.`)
  return text
}

/** Decodes a piece of a query string, in which `+` is a space; null if it is not percent-encoded UTF-8. */
export function decodeQueryText(raw: string): string | null {
  if (!/[%+]/.test(raw)) return raw
  try {
    return decodeURIComponent(raw.replaceAll('+', '%20'))
  } catch {
    return null
  }
}
