import { BadParameterError, NotFoundError } from '../../errors/apiErrors.ts'
import type { Parameter, ParameterSet, ParameterValues, Reading } from './parameter.ts'

export interface ReadParameters<Set extends ParameterSet> {
  readonly values: ParameterValues<Set>
  /** The same text for all requests that mean the same. */
  readonly canonical: string
}

/** Reads the parameters of one endpoint from a request. */
export type ParameterReader<Set extends ParameterSet> = (
  pathParameters: Readonly<Record<string, string>>,
  url: string,
) => ReadParameters<Set>

/**
 * Makes the reader of a set of parameters. It works on the raw query string: parameters that the endpoint does not know
 * are skipped unseen, however malformed; a known one must be valid percent-encoded UTF-8 without NUL and stand once.
 */
export function createParameterReader<const Set extends ParameterSet>(set: Set): ParameterReader<Set> {
  const entries = Object.entries<Parameter<unknown>>(set)
  const queryNames = new Map<string, number>()
  for (const [index, [, parameter]] of entries.entries()) {
    if (parameter.in === 'query') queryNames.set(parameter.name, index)
  }
  const absent = entries.map(([, parameter]) => parameter.absent)

  return (pathParameters, url) => {
    const readings = [...absent]
    for (let index = 0; index < entries.length; index++) {
      const parameter = entries[index]?.[1]
      if (parameter?.in === 'path') readings[index] = readPathParameter(parameter, pathParameters)
    }
    const queryStart = url.indexOf('?')
    if (queryNames.size > 0 && queryStart !== -1) {
      const seen = new Set<number>()
      for (const piece of url.slice(queryStart + 1).split('&')) {
        const [rawName, rawValue] = splitPiece(piece)
        const index = queryNames.get(rawName) ?? queryNames.get(decodeQueryText(rawName) ?? '')
        const parameter = index === undefined ? undefined : entries[index]?.[1]
        if (index === undefined || parameter === undefined) continue
        if (seen.has(index)) {
          throw new BadParameterError(`${parameter.name} is given more than once; give it at most once.`)
        }
        seen.add(index)
        readings[index] = parameter.read(decodeValue(parameter.name, rawValue))
      }
    }
    const values: Record<string, unknown> = {}
    let canonical = ''
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index]
      if (entry === undefined) continue
      const [property, parameter] = entry
      const reading = readings[index] ?? null
      if (reading === null) throw new BadParameterError(`${parameter.name} is missing; it is required.`)
      values[property] = reading.value
      canonical += `\0${reading.canonical}`
    }
    // Every property of the set has been read by the parameter of that property.
    return { values: values as ParameterValues<Set>, canonical }
  }
}

/** A segment that is empty makes another path, not a malformed parameter. */
function readPathParameter<Value>(
  parameter: Parameter<Value>,
  pathParameters: Readonly<Record<string, string>>,
): Reading<Value> {
  const text = pathParameters[parameter.name] ?? ''
  if (text === '') throw new NotFoundError(`The ${parameter.name} in the path is empty; give one.`)
  return parameter.read(text)
}

function splitPiece(piece: string): [name: string, value: string] {
  const equals = piece.indexOf('=')
  return equals === -1 ? [piece, ''] : [piece.slice(0, equals), piece.slice(equals + 1)]
}

function decodeValue(name: string, raw: string): string {
  const text = decodeQueryText(raw)
  if (text === null) {
    throw new BadParameterError(`${name} is not percent-encoded UTF-8; encode it as encodeURIComponent does.`)
  }
  if (text.includes('\0')) throw new BadParameterError(`${name} holds a NUL character; leave it out.`)
  return text
}

/** Decodes a piece of a query string, in which `+` is a space; null when it is no percent-encoded UTF-8. */
export function decodeQueryText(raw: string): string | null {
  if (!/[%+]/.test(raw)) return raw
  try {
    return decodeURIComponent(raw.replaceAll('+', '%20'))
  } catch {
    return null
  }
}
