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
  const queryParameters = new Map(queryEntries.map(([, parameter]) => [parameter.name, parameter]))

  return (pathParameters, url) => {
    const sent = readQuery(queryParameters, url)
    const values: Record<string, unknown> = {}
    for (const [property, parameter] of pathEntries) {
      values[property] = readPathParameter(parameter, pathParameters)
    }
    for (const [property, parameter] of queryEntries) {
      const reading = sent?.get(parameter.name) ?? parameter.absent
      if (reading === null) throw new BadParameterError(`${parameter.name} is missing; it is required.`)
      values[property] = reading.value
    }
    // Every property of the set has been read by the parameter of that property.
    return values as ParameterValues<Set>
  }
}

/** The known parameters in a query, by name; null without any. */
function readQuery(
  known: ReadonlyMap<string, Parameter<unknown>>,
  url: string,
): Map<string, { readonly value: unknown }> | null {
  const queryStart = url.indexOf('?')
  if (known.size === 0 || queryStart === -1) return null
  const sent = new Map<string, { readonly value: unknown }>()
  const bracketed = new Map<Parameter<unknown>, SentParameter[]>()
  for (const piece of url.slice(queryStart + 1).split('&')) {
    const [rawName, rawValue] = splitPiece(piece)
    const decodedName = decodeQueryText(rawName)
    const parameter = known.get(rawName) ?? known.get(decodedName ?? '')
    if (parameter === undefined) {
      const family = known.get(/^\w+(?=\[|%5b)/i.exec(decodedName ?? rawName)?.[0] ?? '')
      if (family?.readAll === undefined) continue
      const sentOne = { name: decodeText(family.name, rawName), text: decodeText(family.name, rawValue) }
      bracketed.set(family, [...(bracketed.get(family) ?? []), sentOne])
      continue
    }
    const { name } = parameter
    if (sent.has(name)) throw new BadParameterError(`${name} is given more than once; give it at most once.`)
    sent.set(name, { value: parameter.read(decodeValue(name, rawValue)) })
  }
  for (const [family, all] of bracketed) sent.set(family.name, { value: family.readAll?.(all) })
  return sent
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
