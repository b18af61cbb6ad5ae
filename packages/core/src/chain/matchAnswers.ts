import { isJsonObject } from '../model/jsonObject.ts'
import { nestsDeeper } from '../model/nesting.ts'
/** A call of JSON-RPC 2.0. */
export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
  /** Blocks that a request for logs spans; what its refusal means depends on it. */
  readonly blockCount?: number
}

export type RpcAnswer =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: RpcErrorObject }

export interface RpcErrorObject {
  readonly code: number | null
  readonly message: string
  readonly data: unknown
  /** The status that the error came with, where it was not 200. */
  readonly httpStatus?: number
}

/** The meaning of the body of an HTTP answer. */
export type MatchedAnswers =
  /** One per call, in the order of the calls; null for a call without an answer. */
  | { readonly kind: 'answers'; readonly answers: readonly (RpcAnswer | null)[] }
  /** One error for the whole batch. */
  | { readonly kind: 'wholeError'; readonly error: RpcErrorObject }
  | { readonly kind: 'malformed'; readonly reason: string }

/** Calls as the text of one request. */
export interface EncodedCalls {
  readonly text: string
  /** The id of the first call; those of the others count up from it. */
  readonly firstId: number
  readonly count: number
  /** Further headers of the request, where it is made by HTTP. */
  readonly headers?: Readonly<Record<string, string>>
}

/** One object for one call, an array for several. */
export function encodeCalls(calls: readonly RpcCall[], firstId: number): EncodedCalls {
  const bodies = calls.map((call, index) => ({
    jsonrpc: '2.0',
    id: firstId + index,
    method: call.method,
    params: call.params,
  }))
  return {
    text: JSON.stringify(bodies.length === 1 ? bodies[0] : bodies),
    firstId,
    count: calls.length,
  }
}

/**
 * Assigns the parsed body of an answer to the calls by their ids, whatever the order. Ids may come back as strings. An
 * error without id answers the only call, or the whole batch.
 */
export function matchAnswers(body: unknown, callCount: number, firstId: number): MatchedAnswers {
  if (!Array.isArray(body)) return matchSingle(body, callCount, firstId)
  const answers: (RpcAnswer | null)[] = Array.from({ length: callCount }, () => null)
  const items: readonly unknown[] = body
  for (const item of items) {
    const answer = readAnswer(item)
    if (answer === null || !isJsonObject(item))
      return { kind: 'malformed', reason: 'an item of the batch is no JSON-RPC answer' }
    const index = indexOfId(item['id'], callCount, firstId)
    if (index === null) {
      if (answer.kind === 'error' && item['id'] == null) return { kind: 'wholeError', error: answer.error }
      return { kind: 'malformed', reason: 'an answer carries an id that was not asked' }
    }
    if (answers[index] !== null) return { kind: 'malformed', reason: 'two answers carry the same id' }
    answers[index] = answer
  }
  // Geth reports a batch that is too large as an error of only its first call.
  const only = items.length === 1 && callCount > 1 ? answers.find((answer) => answer !== null) : undefined
  if (only?.kind === 'error') return { kind: 'wholeError', error: only.error }
  return { kind: 'answers', answers }
}

function matchSingle(body: unknown, callCount: number, firstId: number): MatchedAnswers {
  const answer = readAnswer(body)
  if (answer === null || !isJsonObject(body))
    return { kind: 'malformed', reason: 'the body is no JSON-RPC answer' }
  if (callCount > 1) {
    return answer.kind === 'error'
      ? { kind: 'wholeError', error: answer.error }
      : { kind: 'malformed', reason: 'a batch was answered with a single result' }
  }
  if (
    indexOfId(body['id'], callCount, firstId) === null &&
    !(answer.kind === 'error' && body['id'] == null)
  ) {
    return { kind: 'malformed', reason: 'the answer carries an id that was not asked' }
  }
  return { kind: 'answers', answers: [answer] }
}

/** The place of an id among those of the calls; null if no call has this id. */
export function indexOfId(id: unknown, callCount: number, firstId: number): number | null {
  const value = typeof id === 'string' && /^[0-9]{1,15}$/.test(id) ? Number(id) : id
  if (typeof value !== 'number' || !Number.isInteger(value)) return null
  return value >= firstId && value < firstId + callCount ? value - firstId : null
}

function readAnswer(item: unknown): RpcAnswer | null {
  if (!isJsonObject(item)) return null
  const { error } = item
  if (error !== undefined && error !== null) {
    if (typeof error === 'string') return { kind: 'error', error: { code: null, message: error, data: null } }
    if (!isJsonObject(error)) return null
    const code = typeof error['code'] === 'number' ? error['code'] : null
    const message = typeof error['message'] === 'string' ? error['message'] : ''
    return { kind: 'error', error: { code, message, data: error['data'] ?? null } }
  }
  return 'result' in item ? { kind: 'result', value: item['result'] } : null
}

/** No answer of JSON-RPC that is read here has more levels. */
const depthMax = 64

/**
 * The value of a JSON text; undefined if the text is no JSON, as JSON itself has no such value, or nests deeper than
 * any answer does.
 */
export function parseJson(text: string): unknown {
  if (nestsDeeper(text, depthMax)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
