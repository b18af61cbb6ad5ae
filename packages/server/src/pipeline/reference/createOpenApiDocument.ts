import { Type, type TSchema } from 'typebox'
import { clientErrorMessage } from '../errorAnswer.ts'
import { internalErrorMessage, storeUnavailableMessage } from '../envelope.ts'
import { byRank, type Operation, type RequestDescription } from '../endpoint.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { exampleOf, noSample, sampleOf, sampleOfPath, withSample, type Sample } from './exampleOf.ts'

/** A route that is described. */
export interface DescribedRoute {
  /** With path parameters as `:name`. */
  readonly path: string
  readonly operation: Operation
}

/** Members of an OpenAPI object. */
type Members = Readonly<Record<string, unknown>>

/**
 * The OpenAPI 3.1 document of the routes. It is made of the schemas that check requests and are the types of answers, so
 * it cannot differ from the served interface. Each schema with a title is a component of that name.
 * @param version the version of the program.
 * @param sample records of this index, for the examples.
 * @throws Error for different schemas of one title.
 */
export function createOpenApiDocument(
  routes: readonly DescribedRoute[],
  version: string,
  sample: Sample = noSample,
): Members {
  const components = createComponents()
  const ordered = routes.toSorted((a, b) => byRank(a.operation, b.operation))
  const paths = ordered.map(({ path, operation }) => [
    formatPath(path),
    { [methodOf(operation)]: describeOperation(path, operation, { components, sample }) },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Attestry',
      version,
      summary: 'The index of on-chain attestations.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }, { url: '/api', description: 'The same under another base.' }],
    security: [],
    tags: tagsOf(ordered),
    paths: Object.fromEntries(paths) as Members,
    components: {
      schemas: { Failure: failureSchema, ...components.schemas },
      headers: sharedHeaders,
      responses: failureResponses(),
    },
  }
}

const introduction =
  'Read-only JSON over HTTP. All answers have one envelope: `success`, `statusCode`, `data`, `message`. Paths answer ' +
  'GET, HEAD and OPTIONS, or POST and OPTIONS; another method is a 405 with `Allow`. Known query parameters are ' +
  'read strictly and may occur once. An unknown one that means a known one is a 400 that names it; any other is ignored, ' +
  'and named in `X-Attestry-Ignored`. An empty value counts as absent, except for numbers.'

/** The subjects of paths, by the first segment behind the prefix of the interface. */
const tagDescriptions: Readonly<Record<string, string>> = {
  gate: 'Whether addresses pass a policy, with the records that decided.',
  holders: 'Which addresses hold an attestation.',
  schemas: 'Definitions of the fields of attestations.',
  attestations: 'Signed statements made under a schema.',
  addresses: 'Records that accounts registered, made and received.',
  agents: 'Agents of ERC-8004, and the feedback that they were given.',
  badge: 'The state of an attestation as an image.',
  export: 'Whole listings as files.',
  transactions: 'What a transaction did.',
  events: 'Changes as they are indexed.',
  index: "The interface of the original service's SDK.",
  overview: 'Search, rankings and the state of the index.',
  service: 'Whether the service is well.',
}

/** In the order of their first paths that have a rank, then in that of the table. */
function tagsOf(routes: readonly DescribedRoute[]): Members[] {
  const used = new Set(routes.map(({ path }) => tagOf(path)))
  const leading = routes.flatMap(({ path, operation }) => (operation.rank === undefined ? [] : [tagOf(path)]))
  return [...new Set([...leading, ...Object.keys(tagDescriptions)])].flatMap((name) =>
    used.has(name) ? [{ name, description: tagDescriptions[name] }] : [],
  )
}

function tagOf(path: string): string {
  const [first = '', second = ''] = path.split('/').filter((segment) => segment !== '')
  if (first === 'scan' && second === 'policies') return 'gate'
  if (first === 'scan') return second in tagDescriptions ? second : 'overview'
  return first in tagDescriptions ? first : 'service'
}

function formatPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

function methodOf({ method }: Operation): 'get' | 'post' {
  return method ?? 'get'
}

/** `/scan/schemas/:id` is `getScanSchemasById`: unique because paths are. */
function operationId(method: string, path: string): string {
  const words = path.split('/').flatMap((segment) => {
    if (segment.startsWith(':')) return ['by', segment.slice(1)]
    return segment.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  })
  return `${method}${words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('')}`
}

/** Parts that all descriptions share. */
interface Shared {
  readonly components: Components
  readonly sample: Sample
}

function describeOperation(path: string, operation: Operation, shared: Shared): Members {
  const parameters = Object.values<Parameter<unknown>>(operation.parameters)
  const method = methodOf(operation)
  const own: Shared = { ...shared, sample: sampleOfPath(path, shared.sample) }
  const failures = failureStatuses.filter((status) => {
    if (status === 404) return parameters.some((parameter) => parameter.in === 'path')
    return method === 'post' || (status !== 413 && status !== 415)
  })
  return {
    operationId: operationId(method, path),
    summary: operation.summary,
    description: operation.description,
    tags: [tagOf(path)],
    ...(parameters.length === 0
      ? {}
      : { parameters: parameters.map((each) => describeParameter(each, own)) }),
    ...(operation.request === undefined ? {} : { requestBody: describeRequest(operation.request, own) }),
    responses: {
      200: describeSuccess(operation, own),
      ...(operation.data !== undefined && method === 'get' ? { 304: unmodified } : {}),
      ...Object.fromEntries(
        failures.map((status) => [status, { $ref: `#/components/responses/${failureName(status)}` }]),
      ),
    },
  }
}

function describeRequest({ schema, example }: RequestDescription, { components, sample }: Shared): Members {
  return {
    required: true,
    content: {
      'application/json': {
        schema: components.refer(schema),
        ...namedExample(withSample(schema, example, sample)),
      },
    },
  }
}

function describeParameter(
  { name, in: place, schema, absent, readAll }: Parameter<unknown>,
  { components, sample }: Shared,
): Members {
  const { description, examples, ...rest } = components.refer(schema)
  const example: unknown = Array.isArray(examples)
    ? (sampleOf(schema, name, sample) ?? examples[0])
    : undefined
  return {
    name,
    in: place,
    required: absent === null,
    ...(readAll === undefined ? {} : { style: 'deepObject', explode: true }),
    description,
    schema: rest,
    // A required parameter names the record of the answer's example.
    ...(example === undefined ? {} : absent === null ? namedExample(example) : { example }),
  }
}

function namedExample(value: unknown): Members {
  return { examples: { [exampleName]: { value } } }
}

const exampleName = 'sample'

function describeSuccess(
  { method, data, body, otherBodies = [] }: Operation,
  { components, sample }: Shared,
): Members {
  const bodies = body === undefined ? otherBodies : [body]
  const own = Object.fromEntries(
    bodies.map(({ mediaType, schema, example }) => [
      mediaType,
      { schema: components.refer(schema), ...namedExample(example) },
    ]),
  )
  if (body !== undefined && data === undefined) return { description: body.description, content: own }
  const envelope = Type.Object(
    {
      success: Type.Literal(true),
      statusCode: Type.Literal(200),
      data: data ?? Type.Object({}),
      message: Type.Literal('ok'),
    },
    { additionalProperties: false },
  )
  return {
    description: 'The answer.',
    headers: {
      ...(method === undefined ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
      'X-Attestry-Version': { $ref: '#/components/headers/Version' },
      'X-Attestry-Ignored': { $ref: '#/components/headers/Ignored' },
    },
    content: {
      'application/json': {
        schema: components.refer(envelope),
        ...namedExample(exampleOf(envelope, sample)),
      },
      ...own,
    },
  }
}

const unmodified = {
  description: 'The answer that `If-None-Match` names still holds.',
  headers: { ETag: { $ref: '#/components/headers/ETag' } },
}

const sharedHeaders = {
  ETag: { description: 'Validator of the content, for `If-None-Match`.', schema: { type: 'string' } },
  Version: {
    description:
      'The version of the index that the answer is at least as new as, for `If-Attestry-Version-At-Least`.',
    schema: { type: 'integer', minimum: 0 },
  },
  Ignored: {
    description: 'Names of the query parameters that were ignored; absent where none was.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds after which to repeat the request.',
    schema: { type: 'integer', minimum: 0 },
  },
}

/** The envelope of an error. */
const failureSchema = {
  type: 'object',
  required: ['success', 'statusCode', 'data', 'message'],
  additionalProperties: false,
  properties: {
    success: { type: 'boolean', const: false },
    statusCode: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status, repeated.' },
    data: { type: 'object', description: 'Empty, except for `/readyz`.' },
    message: { type: 'string', description: 'The mistake and the valid values, in one sentence.' },
  },
}

/** Every status that a request can fail with, with an example of the sentence. */
const failures: Readonly<Record<number, readonly [name: string, description: string, message: string]>> = {
  400: [
    'BadRequest',
    'A parameter or a member of the body is malformed, out of range or given twice, or the request is not valid HTTP.',
    "size must be a whole number from 1 to 100, in decimal digits; it was '1e3'.",
  ],
  404: [
    'NotFound',
    'No such record is indexed.',
    'No schema onchain_evm_1_0xff is indexed here; /scan/schemas lists those that are.',
  ],
  408: ['RequestTimeout', 'The request did not arrive in time.', clientErrorMessage(408)],
  412: [
    'PreconditionFailed',
    'The index is older than the version that `If-Attestry-Version-At-Least` asks for.',
    'The index is at version 7, older than the version 9 that If-Attestry-Version-At-Least asks for.',
  ],
  413: ['BodyTooLong', 'The body is too long.', clientErrorMessage(413)],
  414: ['UriTooLong', 'The URL is too long.', clientErrorMessage(414)],
  415: ['UnsupportedMediaType', 'The body is not JSON.', clientErrorMessage(415)],
  429: ['TooManyRequests', 'This client asks too often.', clientErrorMessage(429)],
  431: ['HeadersTooLong', 'URL and headers together are too long.', clientErrorMessage(431)],
  500: ['InternalError', 'A defect of the server, which has been logged.', internalErrorMessage],
  503: ['Unavailable', 'The index cannot be read at the moment, or is overloaded.', storeUnavailableMessage],
}
const failureStatuses = Object.keys(failures).map(Number)

function failureName(status: number): string {
  return failures[status]?.[0] ?? 'Failure'
}

function failureResponses(): Members {
  return Object.fromEntries(
    Object.entries(failures).map(([status, [name, description, message]]) => {
      const statusCode = Number(status)
      const answer = {
        description,
        ...(statusCode === 429 || statusCode === 503
          ? { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } }
          : {}),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Failure' },
            example: { success: false, statusCode, data: {}, message },
          },
        },
      }
      return [name, answer]
    }),
  )
}

/** The schemas with a title, each once. */
interface Components {
  readonly schemas: Record<string, unknown>
  /** A schema as plain JSON, with references to those in it that have a title. */
  refer(schema: TSchema): Record<string, unknown>
}

function createComponents(): Components {
  const schemas: Record<string, unknown> = {}
  return {
    schemas,
    // JSON of an object reads back as one.
    refer: (schema) =>
      JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
        if (typeof value !== 'object' || value === null) return value
        if ('enum' in value && !('type' in value)) return withType(value)
        if (!('title' in value) || typeof value.title !== 'string') return value
        const { title, ...described } = value
        schemas[title] ??= described
        if (JSON.stringify(schemas[title]) !== JSON.stringify(described)) {
          throw new Error(`two schemas have the title ${title}`)
        }
        return { $ref: `#/components/schemas/${title}` }
      }) as Record<string, unknown>,
  }
}

/** Every enumeration says its type: generators of clients need it. */
function withType(schema: { readonly enum: unknown }): object {
  const { enum: choices } = schema
  const areTexts = Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')
  return areTexts ? { type: 'string', ...schema } : schema
}
