import type { TSchema } from 'typebox'
import type { WantedRecord } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { Shown } from '../records/payloadSchemas.ts'
import type { Question, View } from './asOf/openView.ts'
import type { ParameterSet, ParameterValues } from './parameters/parameter.ts'

/** One REST endpoint: its path, its parameters, the schema of its answer, and the function that finds the answer. */
export interface Endpoint<Set extends ParameterSet, Data extends TSchema> {
  /** With path parameters as `:name`, beginning with a slash. */
  readonly path: string
  readonly summary: string
  /** One or two sentences beyond the summary. */
  readonly description: string
  readonly parameters: Set
  /** Whether the text `undefined` means that a parameter is absent; false by default. */
  readonly undefinedIsAbsent?: boolean
  /** The schema of `data` in the envelope: its type, and its description. */
  readonly data: Data
  /**
   * Finds the answer.
   * @param url the requested URL without ignored parameters, from which links to other pages are made.
   * @param view the state that is asked about, whose reads `reader` makes.
   * @throws NotFoundError for a record that is not indexed.
   */
  readonly answer: (
    reader: PastReader,
    values: ParameterValues<Set>,
    url: string,
    view: View,
  ) => Promise<EndpointAnswer<Shown<Data>>>
  /** The state that the answer is about; by default the newest, which the answer then does not name. */
  readonly about?: (values: ParameterValues<Set>) => Question
  /** The record to wait for if `answer` throws a `NotFoundError`; absent if the path never waits. */
  readonly wait?: (values: ParameterValues<Set>) => Wait
  /** Makes the endpoint a tool of models. */
  readonly tool?: EndpointTool
  /** Its place among tools and in the description of the interface: the lowest first, those without one last. */
  readonly rank?: number
  /** Absent if the path answers only in the envelope. A request gets the first one that it asks for. */
  readonly otherForms?: readonly OtherForm<ParameterValues<Set>>[]
}

/** The tool that asks an endpoint. Its arguments are the parameters of the endpoint. */
export interface EndpointTool {
  /** Unique among the tools of a server. */
  readonly name: string
  readonly description: string
  /** Descriptions of arguments, by the name of the parameter, that replace those of the endpoint. */
  readonly argumentDescriptions?: Readonly<Record<string, string>>
  /** For a body with members of any name: the announced ones, of which `whole` takes a whole body. */
  readonly openBody?: { readonly whole: string; readonly members: Readonly<Record<string, string>> }
}

/** Sorts by rank: what decides comes first. */
export function byRank(a: Pick<Operation, 'rank'>, b: Pick<Operation, 'rank'>): number {
  return (a.rank ?? Infinity) === (b.rank ?? Infinity) ? 0 : (a.rank ?? Infinity) - (b.rank ?? Infinity)
}

/** Another form of an answer, outside of the envelope, for the requests that ask for it. It is never cached. */
export interface OtherForm<Asked> {
  readonly description: BodyDescription
  /** @param accept the header of the request. */
  readonly isAsked: (asked: Asked, accept: string | undefined) => boolean
  /** The text of the body. */
  readonly answer: (reader: PastReader, asked: Asked) => Promise<string>
}

/** The record that an answer waits for, and for how long. */
export interface Wait {
  /** null: the request does not wait. */
  readonly seconds: number | null
  readonly record: WantedRecord | null
}

/** The data of an answer, with what goes beside it. */
export interface EndpointAnswer<Data = object> {
  readonly data: Data
  /** The value of the `Link` header; null, or absent, for none. */
  readonly link?: string | null
  /**
   * Whether a repeated request can get another answer at the same index version; such an answer is not cached. False by
   * default.
   */
  readonly followsClock?: boolean
  /** Up to which block of its chain the answer is true; null, or absent: it does not say so. */
  readonly asOf?: string | null
}

/**
 * The description of a route in the OpenAPI document. A route is documented if its configuration has one. A 200 carries
 * `data` in the envelope or one of `otherBodies`, by what the request asks for, or a `body` of its own.
 */
export interface Operation {
  /** GET, and HEAD with it, unless it is said. */
  readonly method?: 'post'
  readonly summary: string
  readonly description: string
  readonly parameters: ParameterSet
  readonly tool?: EndpointTool
  readonly rank?: number
  /** The body that the route reads. */
  readonly request?: RequestDescription
  readonly data?: TSchema
  readonly body?: BodyDescription
  /** Other bodies, beside `data`. */
  readonly otherBodies?: readonly BodyDescription[]
}

/** The description of the route of an endpoint. */
export function operationOf(
  { summary, description, data, tool, rank, otherForms = [] }: Described,
  parameters: ParameterSet,
): Operation {
  return {
    summary,
    description,
    parameters,
    data,
    ...(tool && { tool }),
    ...(rank !== undefined && { rank }),
    otherBodies: otherForms.map((form) => form.description),
  }
}

type Described = Pick<
  Endpoint<ParameterSet, TSchema>,
  'summary' | 'description' | 'data' | 'tool' | 'rank'
> & {
  readonly otherForms?: readonly Pick<OtherForm<never>, 'description'>[]
}

/** The body of a request, which is JSON. */
export interface RequestDescription {
  readonly schema: TSchema
  readonly example: unknown
}

/** An answer without the envelope. */
export interface BodyDescription {
  readonly mediaType: string
  readonly description: string
  readonly schema: TSchema
  readonly example: unknown
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly operation?: Operation
    /** Whether the route only refuses methods that its path does not have. */
    readonly isRefused?: boolean
  }
}
