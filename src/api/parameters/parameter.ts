import type { TSchema } from 'typebox'

/**
 * One parameter of an endpoint: its TypeBox schema says to a reader (and to the OpenAPI document) what may be sent, `read`
 * holds requests to it. Parameters arrive as text and are read strictly: a general coercion would take `1e3`, `0x10`
 * or ` 1` for a number.
 */
export interface Parameter<Value> {
  readonly name: string
  readonly in: 'path' | 'query'
  /** Of the parameter's value, with its description, bounds and default. */
  readonly schema: TSchema
  /** What counts when the parameter is not sent; null where it must be. */
  readonly absent: { readonly value: Value } | null
  /**
   * @param text decoded, without NUL.
   * @throws BadParameterError naming the parameter and what would be right.
   */
  readonly read: (text: string) => Value
}

/** The parameters of one endpoint, by the property under which its handler sees them. */
export type ParameterSet = Readonly<Record<string, Parameter<unknown>>>

/** What a handler gets for a set of parameters. */
export type ParameterValues<Set extends ParameterSet> = {
  readonly [Property in keyof Set]: Set[Property] extends Parameter<infer Value> ? Value : never
}
