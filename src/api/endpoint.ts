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
   * The JSON text of `data`, alone where there is no more to say.
   * @param url as it was asked, from which links to other pages are made.
   * @throws NotFoundError for a record that is not indexed.
   */
  readonly answer: (
    reader: IndexReader,
    values: ParameterValues<Set>,
    url: string,
  ) => Promise<string | EndpointAnswer>
}

/** An answer that says more than its data. */
export interface EndpointAnswer {
  readonly dataJson: string
  /** The value of the `Link` header; null for none. */
  readonly link: string | null
  /** Whether the same question a moment later has another answer though the index stands still; then it is not kept. */
  readonly followsClock: boolean
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
