import { AttestryError } from './attestryError.ts'
import type { OnBehind } from './behind.ts'
import { type ChangeEvent, pullChanges, streamChanges } from './changes.ts'
import type {
  BodyOf,
  DataOf,
  ExportPath,
  ExportRow,
  ListFilter,
  ListPath,
  ListRow,
  PageOf,
  Parameters,
  PathOfData,
  PathOfPost,
  PostedDataOf,
  StepOf,
} from './paths.ts'
import type { GatePolicy, TypedVerdict, Verdict } from './gate.ts'
import { readText } from './readText.ts'
import { type Ask, describeStranger, originOf, pause, request, type Transport } from './request.ts'
import { writeOffchain } from './writeOffchain.ts'

export interface ClientOptions {
  /** The address of the service, such as `https://attestry.example`, or an address that ends in `/api`. */
  readonly baseUrl: string | URL
  /** Sends the requests; the runtime's own `fetch` by default. */
  readonly fetch?: typeof fetch
  /** Headers of every request, such as the key of a gateway. */
  readonly headers?: Readonly<Record<string, string>>
  /** How often a request with a temporary failure is repeated; 3 by default. `Retry-After` is obeyed. */
  readonly retries?: number
  /** The longest time until an answer begins, in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number
  /** Called for each answer, to any request, about chains that the index is behind on. */
  readonly onBehind?: OnBehind
}

export interface RequestOptions {
  /** Ends the request; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal
  /**
   * Called before the answer is given if the index is behind on a chain of the answer. Records and revocations may be
   * missing: do not decide by the answer.
   */
  readonly onBehind?: OnBehind
}

/** Parameters are optional for a path that needs none. */
type ParametersThenOptions<Path extends PathOfData> =
  object extends Parameters<Path>
    ? [parameters?: Parameters<Path>, options?: RequestOptions]
    : [parameters: Parameters<Path>, options?: RequestOptions]

export interface WaitOptions extends RequestOptions {
  /** The longest wait, in milliseconds; 30,000 by default. */
  readonly durationMs?: number
}

export interface GateOptions extends RequestOptions {
  readonly asOf?: string
}

export interface SignedGateOptions extends RequestOptions {
  /** For whom the verdict is. */
  readonly audience: string
  /** A text that no request had before. */
  readonly nonce: string
}

export interface TypedGateOptions extends Pick<RequestOptions, 'signal'> {
  /** Chain of the contract that checks the verdict; needed unless the policy names it. */
  readonly chainId?: number | string | undefined
  /** The address of that contract; needed unless the policy names it. */
  readonly contract?: string | undefined
  /** An unsigned integer, in decimal or `0x` digits; random by default. */
  readonly nonce?: string | undefined
}

/** Reads one index. All calls may be made at the same time; each throws `AttestryError` for a failure. */
export interface Client {
  /** Reads a page of a listing, with its total. */
  get<Path extends ListPath>(
    path: Path,
    parameters?: Parameters<Path> & { readonly cursor?: never },
    options?: RequestOptions,
  ): Promise<PageOf<Path>>
  /** Reads a step of a walk through a listing. */
  get<Path extends ListPath>(
    path: Path,
    parameters: Parameters<Path> & { readonly cursor: string },
    options?: RequestOptions,
  ): Promise<StepOf<Path>>
  /** Reads a path: `client.get('/scan/schemas/{id}', { id })` is the schema. Every path of the interface is typed. */
  get<Path extends PathOfData>(path: Path, ...rest: ParametersThenOptions<Path>): Promise<DataOf<Path>>
  /**
   * Asks a path that takes a body: `client.post('/scan/attestations/status', { ids })`. The request changes nothing.
   */
  post<Path extends PathOfPost>(
    path: Path,
    body: BodyOf<Path>,
    options?: RequestOptions,
  ): Promise<PostedDataOf<Path>>
  /**
   * Whether an off-chain attestation holds, check by check, with what the index knows of it. The input is an envelope
   * of EAS or BAS or a signed body of Sign Protocol, as text or parsed, or a link that holds one (`#attestation=…`).
   * `verifyOffchain` of `@attestry/client/offchain` computes without a request what needs no index.
   */
  verifyOffchain(
    input: string | object,
    options?: RequestOptions,
  ): Promise<PostedDataOf<'/scan/offchain/verify'>>
  /**
   * Whether a policy lets an address through, and why: the name of a policy of the index, or a policy itself. `asOf` asks
   * how it was at a block (`10:120000000`) or at a time in Unix seconds.
   */
  gate(policy: GatePolicy, subject: string, options?: GateOptions): Promise<Verdict>
  /** The same as a signed verdict, for `verifyVerdict`. Servers sign verdicts of the policies that they name. */
  signedGate(policy: GatePolicy, subject: string, options: SignedGateOptions): Promise<string>
  /** The same as typed data that a contract checks; a `signature` of null if the address is not let through. */
  typedGate(policy: GatePolicy, subject: string, options?: TypedGateOptions): Promise<TypedVerdict>
  /** As `get`, or null if the record is not indexed (404). */
  find<Path extends PathOfData>(
    path: Path,
    ...rest: ParametersThenOptions<Path>
  ): Promise<DataOf<Path> | null>
  /**
   * The same as soon as the record is indexed. A schema, an attestation and a transaction are answered within
   * milliseconds of it; other paths are asked once a second.
   * @throws AttestryError with status 404 at the end of the wait.
   */
  wait<Path extends PathOfData>(
    path: Path,
    parameters: Parameters<Path>,
    options?: WaitOptions,
  ): Promise<DataOf<Path>>
  /** All rows of a listing that pass the filter, newest first, by cursors. `size` is the number of rows of a step. */
  list<Path extends ListPath>(
    path: Path,
    filter?: ListFilter<Path>,
    options?: RequestOptions,
  ): AsyncGenerator<ListRow<Path>, void, void>
  /** A whole listing, oldest first, in one request: every member of every record. */
  export<Path extends ExportPath>(
    path: Path,
    filter?: Parameters<Path>,
    options?: RequestOptions,
  ): AsyncGenerator<ExportRow<Path>, void, void>
  /** The changes of the index as they happen, from now on or after `lastEventId`; continues after a lost connection. */
  changes(
    filter?: Parameters<'/scan/events'>,
    options?: RequestOptions,
  ): AsyncGenerator<ChangeEvent, void, void>
  /**
   * The pages of changes after a cursor, up to the newest change; `next` of the last page is the cursor for the next
   * call. Without a cursor, one page with the newest. `reset` says that changes are missing: read the records anew.
   */
  changesSince(
    cursor: string | undefined,
    filter?: Omit<Parameters<'/scan/changes'>, 'since'>,
    options?: RequestOptions,
  ): AsyncGenerator<DataOf<'/scan/changes'>, void, void>
  /**
   * The `data` of a GraphQL query.
   * @throws AttestryError with the first error's message if any part of the query fails.
   */
  graphql<Data>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<Data>
}

const retriesDefault = 3
const timeoutMsDefault = 30_000
const waitMsDefault = 30_000
/** The longest time that the server lets an answer wait, in seconds. */
const waitSecondsMax = 60
/** How much longer a request may take than its wait, in seconds. */
const answerSeconds = 5
/** The pause between two requests of `wait` for a path whose answers do not wait, in milliseconds. */
const waitIntervalMs = 1_000
/** Rows of a step of `list`: the largest number that the server gives in one answer. */
const listSizeDefault = 100

/** A client of the index at `baseUrl`. It holds no connection and need not be closed. */
export function createClient(options: ClientOptions): Client {
  const transport: Transport = {
    baseUrl: String(options.baseUrl).replace(/\/+$/, ''),
    fetch: options.fetch ?? ((...parameters) => fetch(...parameters)),
    headers: options.headers ?? {},
    retriesMax: options.retries ?? retriesDefault,
    timeoutMs: options.timeoutMs ?? timeoutMsDefault,
    onBehind: options.onBehind,
  }
  const getAny = (path: string, parameters?: object, { signal, onBehind }: RequestOptions = {}) =>
    fetchData(transport, { path, parameters: parameters ?? {}, accept: 'application/json', signal, onBehind })
  const findAny = async (path: string, parameters?: object, requestOptions?: RequestOptions) => {
    try {
      return await getAny(path, parameters, requestOptions)
    } catch (error) {
      if (isMissingRecord(error)) return null
      throw error
    }
  }
  // The OpenAPI document types the answer of each path; one implementation serves all paths.
  return {
    get: getAny,
    post: (path: string, body: object, { signal, onBehind }: RequestOptions = {}) =>
      fetchData(transport, { path, body, accept: 'application/json', signal, onBehind }),
    verifyOffchain: (input: string | object, { signal, onBehind }: RequestOptions = {}) => {
      const body = readOffchain(typeof input === 'string' ? input : writeOffchain(input))
      const path = '/scan/offchain/verify'
      return fetchData(transport, { path, body, accept: 'application/json', signal, onBehind })
    },
    gate: async (policy: GatePolicy, subject: string, { asOf, signal, onBehind }: GateOptions = {}) => {
      const body = { policy, subjects: [subject], asOf }
      const answer = await fetchData(transport, {
        path: '/scan/gate',
        body,
        accept: 'application/json',
        signal,
        onBehind,
      })
      const { rows, ...state } = answer as PostedDataOf<'/scan/gate'>
      return { ...rows[0], ...state }
    },
    signedGate: async (
      policy: GatePolicy,
      subject: string,
      { audience: aud, nonce, signal }: SignedGateOptions,
    ) => {
      const body = { policy, subjects: [subject] }
      const ask = { path: '/scan/gate', parameters: { signed: true, aud, nonce }, body, signal }
      return await (await request(transport, { ...ask, accept: 'application/jose' })).text()
    },
    typedGate: async (
      policy: GatePolicy,
      subject: string,
      { chainId: verifyChainId, contract: verifyingContract, nonce, signal }: TypedGateOptions = {},
    ) => {
      const body = { policy, subjects: [subject] }
      const parameters = { signed: 'eip712', verifyChainId, verifyingContract, nonce }
      const ask = { path: '/scan/gate', parameters, body, signal }
      return await readJson(
        await request(transport, { ...ask, accept: 'application/vnd.attestry.eip712+json' }),
      )
    },
    find: findAny,
    wait: (path: string, parameters: object, waitOptions: WaitOptions = {}) =>
      waitFor((wait) => getAny(path, { ...parameters, wait }, waitOptions), transport, waitOptions),
    list: (path: string, filter: object = {}, requestOptions: RequestOptions = {}) =>
      walk((parameters) => getAny(path, parameters, requestOptions), filter),
    export: (path: string, filter: object = {}, { signal, onBehind }: RequestOptions = {}) =>
      readLines(transport, { path, parameters: filter, accept: 'application/x-ndjson', signal, onBehind }),
    changes: (filter = {}, { signal }: RequestOptions = {}) => streamChanges(transport, filter, signal),
    changesSince: (cursor?: string, filter: object = {}, requestOptions: RequestOptions = {}) =>
      pullChanges((parameters) => getAny('/scan/changes', parameters, requestOptions), filter, cursor),
    graphql: (query: string, variables: object = {}, requestOptions: RequestOptions = {}) =>
      fetchGraphql(transport, { query, variables }, requestOptions),
  } as unknown as Client
}

/**
 * The body that verifies a text; a text that is neither JSON nor a link is left to the server's check of its format.
 */
function readOffchain(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // A link, or anything else.
  }
  return { url: text.trim() }
}

async function fetchData(transport: Transport, ask: Ask): Promise<unknown> {
  const response = await request(transport, ask)
  const stranger = `${originOf(transport.baseUrl)} ${describeStranger(response)}.`
  // A web page is no answer that broke off: asking again gives it again.
  if (response.headers.get('content-type')?.startsWith('text/html') === true) {
    await response.body?.cancel()
    throw new AttestryError(response.status, stranger)
  }
  const body = await readJson(response)
  if (typeof body === 'object' && body !== null && 'data' in body) return body.data
  throw new AttestryError(response.status, stranger)
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new AttestryError(0, 'The answer broke off or is no JSON.', { cause: error })
  }
}

function isMissingRecord(error: unknown): boolean {
  return error instanceof AttestryError && error.status === 404 && !error.isUnknownPath
}

/** The server waits if the path supports it; else the request is repeated after a pause. */
async function waitFor(
  get: (waitSeconds: number | undefined) => Promise<unknown>,
  { timeoutMs }: Transport,
  options: WaitOptions,
): Promise<unknown> {
  const endMs = performance.now() + (options.durationMs ?? waitMsDefault)
  const secondsMax = Math.max(1, Math.min(waitSecondsMax, Math.floor(timeoutMs / 1_000) - answerSeconds))
  for (;;) {
    const startMs = performance.now()
    const seconds = Math.max(0, Math.min(secondsMax, Math.floor((endMs - startMs) / 1_000)))
    try {
      return await get(seconds === 0 ? undefined : seconds)
    } catch (error) {
      const leftMs = endMs - performance.now()
      if (!isMissingRecord(error) || leftMs <= 0) throw error
      const hasWaited = seconds > 0 && performance.now() - startMs >= seconds * 900
      if (!hasWaited) await pause(Math.min(waitIntervalMs, leftMs), options.signal)
    }
  }
}

async function* walk(
  get: (parameters: object) => Promise<unknown>,
  filter: object,
): AsyncGenerator<unknown, void, void> {
  for (let cursor: string | null = '*'; cursor !== null;) {
    const step = (await get({ size: listSizeDefault, ...filter, cursor })) as {
      readonly rows: readonly unknown[]
      readonly nextCursor: string | null
    }
    yield* step.rows
    cursor = step.nextCursor
  }
}

/** The objects of a file of JSON lines. Its end is the end of the response: a file that breaks off is an error. */
async function* readLines(transport: Transport, ask: Ask): AsyncGenerator<unknown, void, void> {
  const response = await request(transport, ask)
  let rest = ''
  try {
    for await (const text of readText(response)) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield JSON.parse(line) as unknown
    }
  } catch (error) {
    ask.signal?.throwIfAborted()
    throw new AttestryError(0, 'The export broke off before its end.', { cause: error })
  }
  if (rest !== '') throw new AttestryError(0, 'The export broke off before its end.')
}

async function fetchGraphql(
  transport: Transport,
  body: object,
  { signal, onBehind }: RequestOptions,
): Promise<unknown> {
  const response = await request(transport, {
    path: '/graphql',
    body,
    accept: 'application/json',
    signal,
    onBehind,
  })
  const result = await readJson(response)
  const { data, errors } = result as {
    readonly data?: unknown
    readonly errors?: readonly { readonly message: string }[]
  }
  if (errors !== undefined)
    throw new AttestryError(response.status, errors[0]?.message ?? 'The query failed.')
  return data
}
