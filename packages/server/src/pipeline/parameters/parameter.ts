import { Type, type TSchema } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'

/**
 * One parameter of an endpoint: its TypeBox schema documents the values, `read` checks a request. Parameters arrive as
 * text and are read strictly: a general coercion would accept `1e3`, `0x10` or ` 1` as a number.
 */
export interface Parameter<Value> {
  readonly name: string
  readonly in: 'path' | 'query'
  /** Of the parameter's value, with its description, bounds and default. */
  readonly schema: TSchema
  /** The value of an absent parameter; null if the parameter is required. */
  readonly absent: { readonly value: Value } | null
  /**
   * @param text decoded, without NUL.
   * @throws BadParameterError with the parameter's name and the valid values.
   */
  readonly read: (text: string) => Value
  /**
   * Set where a request completes the name by brackets (`field[level][gte]`): reads all such parameters of the request,
   * of which there is at least one. `read` then refuses the bare name.
   * @throws BadParameterError with the whole name and the valid values.
   */
  readonly readAll?: (sent: readonly SentParameter[]) => Value
  /**
   * Another name of the parameter, which clients of other services send, with the values that it has there. Both names
   * in one request must say the same.
   */
  readonly synonym?: Pick<Parameter<Value>, 'name' | 'read'>
}

/** A parameter as a request has it, decoded. */
export interface SentParameter {
  readonly name: string
  readonly text: string
}

/** The parameters of one endpoint, by the property under which its handler sees them. */
export type ParameterSet = Readonly<Record<string, Parameter<unknown>>>

/** The values of a set of parameters. */
export type ParameterValues<Set extends ParameterSet> = {
  readonly [Property in keyof Set]: Set[Property] extends Parameter<infer Value> ? Value : never
}

/** An optional parameter of the query; null when it is absent or empty. */
export function optionalParameter<Value>(
  name: string,
  schema: TSchema,
  read: (text: string) => Value,
): Parameter<Value | null> {
  return {
    name,
    in: 'query',
    schema,
    absent: { value: null },
    read: (text) => (text === '' ? null : read(text)),
  }
}

/** The same parameter, which a request has to have. */
export function required<Value>({ name, schema, read, synonym }: Parameter<Value | null>): Parameter<Value> {
  const readGiven = (given: typeof read) => (text: string) => {
    const value = given(text)
    if (value !== null) return value
    throw new BadParameterError(`${name} is missing; it is required.`)
  }
  return {
    name,
    in: 'query',
    schema,
    absent: null,
    read: readGiven(read),
    ...(synonym === undefined ? {} : { synonym: { name: synonym.name, read: readGiven(synonym.read) } }),
  }
}

/**
 * A parameter of the query that is refused: if it were ignored, the answer would not be what was asked for.
 * @param refusal the sentence about any text but an empty one.
 */
export function refusedParameter(name: string, description: string, refusal: string): Parameter<null> {
  return {
    name,
    in: 'query',
    schema: Type.String({ maxLength: 0, description }),
    absent: { value: null },
    read: (text) => {
      if (text.trim() === '') return null
      throw new BadParameterError(refusal)
    },
  }
}
