import type { AttestryError } from '../errors/baseError.ts'

/**
 * The meaning of an endpoint's refusal. Providers agree on neither codes nor words, so everything is considered: HTTP
 * status, JSON-RPC code, the message with the error's data, and the request. Pure; the table in its test holds real
 * answers.
 */
export type Refusal =
  /**
   * Fewer blocks may do. `structural`: the endpoint never takes more than `suggestedBlocks`; otherwise it was this
   * range's result that was too large or too slow, and another range of the same width may pass.
   */
  | { readonly kind: 'rangeTooWide'; readonly structural: true; readonly suggestedBlocks: number }
  | { readonly kind: 'rangeTooWide'; readonly structural: false; readonly suggestedBlocks: number | null }
  /** Too many requests in some time. */
  | { readonly kind: 'rateLimited' }
  /** Too many calls in one request. `suggestedSize` is 1 where batches are not taken at all. */
  | { readonly kind: 'batchTooLarge'; readonly suggestedSize: number | null }
  /** The call costs the endpoint too much gas, time or space; half of it may pass. */
  | { readonly kind: 'tooHeavy' }
  /**
   * The endpoint lacks the block or state, or does not work right now; another one, or the same one later, may answer.
   */
  | { readonly kind: 'unhealthy' }
  /**
   * A refusal for a reason that neither size nor time cures: an unknown method, malformed parameters, no permission.
   */
  | { readonly kind: 'refused' }

export interface RefusedRequest {
  readonly method: string
  /** Blocks that a request for logs spanned; 1 for any other. */
  readonly blockCount: number
  /** Calls in the HTTP request. */
  readonly batchSize: number
  readonly httpStatus: number
  /** JSON-RPC code; null if the answer was not JSON-RPC. */
  readonly code: number | null
  readonly message: string
  /** The error's `data`, as JSON or plain text; empty if the error has no data. */
  readonly data: string
}

const count = String.raw`([0-9][0-9,_]*\s?[km]?)\b`

/** Sentences that name how many blocks a request for logs may span, with the number as the first group. */
const structuralPatterns = [
  String.raw`maximum is set to ${count}`,
  String.raw`max(?:imum)?(?: allowed)?(?: block)? range(?: limit)?(?: is| of|:)* ${count}`,
  String.raw`number of requested blocks is ${count}`,
  String.raw`(?:limited|restricted|limit is|limit of|limit) ?(?:to |of |is |at )*(?:an? |at most |only |max )*${count}[ -]?(?:blocks?|range)\b`,
  String.raw`up to an? ${count}[ -]blocks? range`,
  String.raw`range allowed for your plan \([0-9]+ > ${count}\)`,
  String.raw`(?:at most|up to|more than|over|exceeds?|exceeding) ${count}[ -]?blocks?\b`,
  String.raw`range (?:is |was )?(?:greater|larger|wider|more|bigger) than (?:the )?(?:max(?:imum)? )?(?:of )?${count}`,
  String.raw`range.{0,60}\(max(?:imum)?(?: is|:)? ?${count}`,
  String.raw`max(?:imum)?(?: allowed)?(?: is|:)? ${count}[ -]?blocks?\b`,
  String.raw`range [0-9]+ exceeds (?:the )?(?:limit|max(?:imum)?) (?:of )?${count}`,
  String.raw`block range limit(?: is| of|:)* ${count}`,
].map((source) => new RegExp(source, 'i'))

/** The result of a range was too much, however many blocks an endpoint takes. */
const resultLimitPattern =
  /returned more than|exceeds? max(?:imum)? results|matched by query exceeds|response size|response (?:is )?too (?:large|big)|response exceed|too many (?:logs|results|events|matches)|max(?:imum)? (?:number of )?(?:logs|results)|results? (?:set )?(?:is )?(?:too large|exceed)|query exceeds (?:the )?limit|memory/i
const timeoutPattern = /time(?:d)?[ -]?out|deadline exceeded|took too long|too much time|query duration/i
const rangePattern = /\brange\b|too many blocks|requested blocks|block interval/i
const aheadPattern =
  /beyond (?:the )?(?:current |latest )*(?:head|block|chain)|after last (?:accepted|known)|invalid block range|(?:past|above|greater than) (?:the )?(?:latest|head|current block)|future (?:block|epoch)|out ?of ?range/i
const rateLimitPattern =
  /rate.?limit|too many requests|requests? (?:per|limit|rate|quota)|(?:call|usage|rps|request count) (?:limit|exceeded)|compute units|credits|quota|throughput|capacity|throttl|daily request|exceeded .{0,20}(?:daily|monthly|per second)|limit reached|\/sec(?:ond)?\b|max(?:imum)? rps/i
const heavyPattern =
  /out of gas|gas (?:limit|required|uint64|cap)|intrinsic gas|exceeds (?:block )?gas|request (?:entity|body)? ?too large|payload too large|response (?:is )?too (?:large|big)|response size|result too large|content length/i
const unhealthyPattern =
  /missing trie node|null round|future epoch|height in future|could not find|header (?:for hash )?not found|unknown block|block .{0,80}not found|not find block|cannot be found|state .{0,60}(?:not available|unavailable|missing)|no state available|historical state|state histor|archive|prun|not (?:currently )?canonical|proof window|out ?of ?range|syncing|not synced|internal|server error|unavailable|bad gateway|upstream|no (?:available|healthy)|connection|temporar|overload|busy|execution aborted|try again/i
/** Proxies say so of an outage. */
const noBackendPattern = /no backend is (?:currently )?healthy/i
/** An unknown method, in the words of proxies that do not send the code for it (-32601). */
const unknownMethodPattern =
  /(?:unknown|unsupported) method|method \S{0,60} ?(?:is |was )?(?:not (?:found|supported|implemented|whitelisted|allowed)|unsupported|unknown)|method .{0,60}does not exist/i
const batchPattern = /batch/i
const batchDisabledPattern =
  /not (?:be )?(?:supported|allowed|enabled|permitted|available)|unsupported|disabled|forbidden/i

export function classifyRefusal(request: RefusedRequest): Refusal {
  const { httpStatus, code } = request
  const text = `${request.message} ${request.data}`.replaceAll(/\s+/g, ' ')
  const isRange = request.method === 'eth_getLogs' && request.blockCount > 1
  // 402 says that a quota is used up.
  if (httpStatus === 429 || httpStatus === 402) return { kind: 'rateLimited' }
  // The same number as a JSON-RPC code also comes with refusals of a range, which no waiting cures.
  if (code === 429)
    return (isRange ? classifyRange(text, request.blockCount) : null) ?? { kind: 'rateLimited' }
  if (request.batchSize > 1 && (batchPattern.test(text) || httpStatus === 413)) {
    return { kind: 'batchTooLarge', suggestedSize: suggestedBatchSize(text, request.batchSize) }
  }
  // -32001 is "resource not found" (EIP-1474): a block that this node does not have.
  if (code === -32001 || (request.method === 'eth_getLogs' && aheadPattern.test(text))) {
    return { kind: 'unhealthy' }
  }
  if (noBackendPattern.test(text)) return { kind: 'unhealthy' }
  if (isRange) {
    const range = classifyRange(text, request.blockCount)
    if (range !== null) return range
  } else if (request.method === 'eth_getLogs' && resultLimitPattern.test(text)) {
    return { kind: 'tooHeavy' }
  }
  if (rateLimitPattern.test(text)) return { kind: 'rateLimited' }
  if (isPermanent(httpStatus, code) || unknownMethodPattern.test(text)) return { kind: 'refused' }
  if (isRange && httpStatus < 500) return { kind: 'rangeTooWide', structural: false, suggestedBlocks: null }
  if (code === -32005) return { kind: 'rateLimited' }
  // -32003 is geth's "response too large", for the calls of a batch that came after its limit was reached.
  if (heavyPattern.test(text) || timeoutPattern.test(text) || httpStatus === 413) {
    return request.batchSize > 1 && code === -32003
      ? { kind: 'batchTooLarge', suggestedSize: null }
      : { kind: 'tooHeavy' }
  }
  if (httpStatus >= 500 || httpStatus === 408 || code === -32603 || code === 4444)
    return { kind: 'unhealthy' }
  return unhealthyPattern.test(text) ? { kind: 'unhealthy' } : { kind: 'refused' }
}

/** Whether an error says that the endpoint does not know the method, or does not offer it. */
export function isMissingMethod(error: AttestryError): boolean {
  const { facts, message } = error
  const isRefused = facts['refusal'] === 'refused'
  return (
    isRefused &&
    (isPermanent(Number(facts['httpStatus']), null) ||
      facts['rpcCode'] === -32601 ||
      unknownMethodPattern.test(message))
  )
}

/** No permission, no such path, no such method, no JSON: asking for less is no help. */
function isPermanent(httpStatus: number, code: number | null): boolean {
  return [401, 403, 404, 405].includes(httpStatus) || code === -32601 || code === -32700
}

/** A refusal of several blocks that mentions blocks, results or time; null for any other refusal. */
function classifyRange(text: string, blockCount: number): Refusal | null {
  const suggestion = narrower(suggestedWidth(text), blockCount)
  if (resultLimitPattern.test(text)) {
    return { kind: 'rangeTooWide', structural: false, suggestedBlocks: suggestion }
  }
  for (const pattern of structuralPatterns) {
    const limit = narrower(parseCount(pattern.exec(text)?.[1]), blockCount)
    if (limit !== null) return { kind: 'rangeTooWide', structural: true, suggestedBlocks: limit }
  }
  if (suggestion !== null || rangePattern.test(text) || timeoutPattern.test(text)) {
    return { kind: 'rangeTooWide', structural: false, suggestedBlocks: suggestion }
  }
  return null
}

/** The width of a range that the message says would work. */
function suggestedWidth(text: string): number | null {
  const match =
    /\[\s*(0x[0-9a-f]{1,12}|[0-9]{1,12})\s*,\s*(0x[0-9a-f]{1,12}|[0-9]{1,12})\s*\]/i.exec(text) ??
    /with the range ([0-9]{1,12}) ?- ?([0-9]{1,12})/i.exec(text)
  return match === null ? null : Number(match[2]) - Number(match[1]) + 1
}

/** A hint helps only where it is less than what was refused. */
function narrower(limit: number | null, blockCount: number): number | null {
  return limit !== null && limit >= 1 && limit < blockCount ? limit : null
}

/** `10000`, `10,000`, `10_000`, `10k`, `2K`. */
function parseCount(text: string | undefined): number | null {
  if (text === undefined) return null
  const digits = Number(text.replaceAll(/[^0-9]/g, ''))
  if (/k$/i.test(text)) return digits * 1_000
  return /m$/i.test(text) ? digits * 1_000_000 : digits
}

/** The largest number in the message that is a limit by its words and less than what was sent. */
function suggestedBatchSize(text: string, batchSize: number): number | null {
  const limits = [
    ...text.matchAll(/(?:limit|max(?:imum)?|than|most|exceeds?|over|up to|size)\D{0,30}?([0-9]{1,6})/gi),
  ]
    .map((match) => Number(match[1]))
    .filter((limit) => limit >= 1 && limit < batchSize)
  if (limits.length > 0) return Math.max(...limits)
  return batchDisabledPattern.test(text) ? 1 : null
}
