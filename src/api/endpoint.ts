import type { TSchema } from 'typebox'
import type { IndexReader } from '../store/indexReader.ts'
import type { ParameterSet, ParameterValues } from './parameters/parameter.ts'

/** One REST read: what it is called, what it takes, what it answers, and how the answer is found. */
export interface Endpoint<Set extends ParameterSet> {
  /** With path parameters as `:name`, beginning with a slash. */
  readonly path: string
  readonly summary: string
  readonly parameters: Set
  /** What `data` of the envelope holds. It describes; tests hold answers to it; nothing is serialised through it. */
  readonly data: TSchema
  /**
   * The JSON text of `data`.
   * @throws NotFoundError for a record that is not indexed.
   */
  readonly answer: (reader: IndexReader, values: ParameterValues<Set>) => Promise<string>
}

/**
 * What the OpenAPI document says of a route; every route of an endpoint carries it in its configuration, and a route that
 * carries it is described. A 200 carries either `data` in the envelope, or a `body` of its own.
 */
export interface Operation {
  readonly summary: string
  readonly parameters: ParameterSet
  readonly data?: TSchema
  readonly body?: BodyDescription
}

/** An answer that wears no envelope. */
export interface BodyDescription {
  readonly mediaType: string
  readonly description: string
  readonly schema: TSchema
  readonly example: unknown
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly operation?: Operation
  }
}
