import { BadParameterError, NotFoundError } from '../../errors/apiErrors.ts'
import type { Parameter, ParameterSet, ParameterValues, SentParameter } from './parameter.ts'

/** Reads the parameters of one endpoint from a request. */
export type ParameterReader<Set extends ParameterSet> = (
  pathParameters: Readonly<Record<string, string>>,
  url: string,
) => ParameterValues<Set>

/**
 * Makes the reader of a set of parameters, over the raw query string. Parameters that the endpoint does not know are
 * ignored, however malformed. A known parameter must be valid percent-encoded UTF-8 without NUL and occur once.
 */
export function createParameterReader<const Set extends ParameterSet>(set: Set): ParameterReader<Set> {
  const entries = Object.entries<Parameter<unknown>>(set)
  const pathEntries = entries.filter(([, parameter]) => parameter.in === 'path')
  const queryEntries = entries.filter(([, parameter]) => parameter.in === 'query')
  const known: KnownParameters = new Map(
    queryEntries.map(([property, parameter]) => [parameter.name, { property, parameter }]),
  )
  const required = queryEntries.filter(([, parameter]) => parameter.absent === null)
  // The values of a request that sends none. Each request starts with a copy, which costs less than its parts.
  const absentValues = Object.fromEntries(
    entries.map(([property, { absent }]): [string, unknown] => [property, absent?.value]),
  )

  return (pathParameters, url) => {
    const values = { ...absentValues }
    readQuery(known, url, values)
    for (const [property, parameter] of pathEntries) {
      values[property] = readPathParameter(parameter, pathParameters)
    }
    for (const [property, { name }] of required) {
      if (values[property] === undefined) throw new BadParameterError(`${name} is missing; it is required.`)
    }
    // Every property of the set is that of an absent parameter, or was read by the parameter of that property.
    return values as ParameterValues<Set>
  }
}

/** A parameter of a query, and the property that its value has. */
interface KnownParameter {
  readonly property: string
  readonly parameter: Parameter<unknown>
}

/** By their names. */
type KnownParameters = ReadonlyMap<string, KnownParameter>

/** Reads the known parameters in a query into the values of a request. */
function readQuery(known: KnownParameters, url: string, values: Record<string, unknown>): void {
  const queryStart = url.indexOf('?')
  if (known.size === 0 || queryStart === -1) return
  const sent = new Set<string>()
  const bracketed = new Map<KnownParameter, SentParameter[]>()
  for (const piece of url.slice(queryStart + 1).split('&')) {
    const [rawName, rawValue] = splitPiece(piece)
    const decodedName = decodeQueryText(rawName)
    const found = known.get(rawName) ?? known.get(decodedName ?? '')
    if (found === undefined) {
      const family = known.get(/^\w+(?=\[|%5b)/i.exec(decodedName ?? rawName)?.[0] ?? '')
      if (family?.parameter.readAll === undefined) continue
      const { name } = family.parameter
      const sentOne = { name: decodeText(name, rawName), text: decodeText(name, rawValue) }
      bracketed.set(family, [...(bracketed.get(family) ?? []), sentOne])
      continue
    }
    const { property, parameter } = found
    const { name } = parameter
    if (sent.has(name)) throw new BadParameterError(`${name} is given more than once; give it at most once.`)
    sent.add(name)
    values[property] = parameter.read(decodeValue(name, rawValue))
  }
  for (const [{ property, parameter }, all] of bracketed) values[property] = parameter.readAll?.(all)
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
