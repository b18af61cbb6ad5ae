import { setTimeout as delay } from 'node:timers/promises'
import { PlaceUnavailableError } from '@attestry/core/errors/placeErrors.ts'
import { parseRetryAfter } from '@attestry/core/model/parseRetryAfter.ts'
import { tooLong } from './folderPlace.ts'
import { boundedRequest, isRedirect, readBounded } from '@attestry/host/readBounded.ts'

/** Requests to the files below a URL. */
export interface WebPlace {
  readonly name: string
  read(path: string, bytesMax: number, signal: AbortSignal): Promise<Uint8Array | null>
  /**
   * Sends a request, again where the server is not to be had for a while, and resolves with its answer and the first
   * characters of the text of a refusal.
   */
  send(
    method: 'PUT' | 'HEAD' | 'DELETE',
    path: string,
    body: Uint8Array | null,
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<SentAnswer>
}

export interface SentAnswer {
  readonly status: number
  readonly ok: boolean
  readonly headers: Headers
  readonly text: string
}

/** The headers that a request needs beside those of its body. */
export type SignRequest = (request: {
  readonly method: string
  readonly url: URL
  readonly body: Uint8Array | null
  /** The headers that are known before. */
  readonly headers: Readonly<Record<string, string>>
}) => Record<string, string>

export interface WebOptions {
  readonly sign?: SignRequest
  /** Longest silence of a server, in milliseconds. */
  readonly silenceMaxMs?: number
  /** The first pause between two attempts, in milliseconds; each pause is twice as long as the one before. */
  readonly pauseMs?: number
}

const attemptsMax = 5
const silenceDefaultMs = 30_000
const pauseDefaultMs = 500
/** Longest pause that a server may ask for. */
const askedPauseMaxMs = 60_000
/** The answer to a request that sends something says at most why it is refused. */
const answerBytesMax = 2 ** 20
/** A server that gives less counts as one that does not answer. */
const bytesPerMsMin = 8

/**
 * The files below `base`, a URL with a slash at its end; `name` stands in messages. A download that breaks off goes on
 * where it was with a server that answers ranges of the same version, and else from its beginning. No redirect is
 * followed: the operator named the server.
 */
export function createWebPlace(base: URL, name: string, options: WebOptions = {}): WebPlace {
  const { sign = () => ({}), silenceMaxMs = silenceDefaultMs, pauseMs = pauseDefaultMs } = options

  async function request(
    method: string,
    path: string,
    body: Uint8Array | null,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = new URL(path, base)
    const response = await fetch(url, {
      method,
      ...boundedRequest,
      headers: { ...boundedRequest.headers, ...headers, ...sign({ method, url, body, headers }) },
      body: body === null ? null : new Uint8Array(body),
      signal,
    })
    if (isRedirect(response)) {
      await response.body?.cancel()
      const region = regionOf(response.headers)
      throw unavailable(
        path,
        region === null
          ? 'the server answers with a redirect, which is not followed; give the URL that it names'
          : `the bucket is in the region ${region}; set AWS_REGION to that`,
      )
    }
    // 409: S3 asks for another attempt, when a condition was checked while another write was under way.
    const isPassing = response.status >= 500 && response.status !== notImplemented
    if (isPassing || [408, 409, 425, 429].includes(response.status)) {
      await response.body?.cancel()
      const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
      throw new PassingFailure(`the server answers ${response.status}`, retryAfterMs ?? 0)
    }
    return response
  }

  function unavailable(path: string, why: string, cause?: unknown): PlaceUnavailableError {
    return new PlaceUnavailableError(`${path} of ${name} cannot be had: ${why}`, {
      facts: { path },
      ...(cause === undefined ? {} : { cause }),
    })
  }

  /** Makes attempts until one succeeds, or fails for good. */
  async function attempt<Result>(
    path: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await work()
      } catch (error) {
        if (signal.aborted || error instanceof PlaceUnavailableError) throw error
        if (attempts === attemptsMax)
          throw unavailable(path, `${describeFailure(error)}, ${attemptsMax} times`, error)
        const askedMs = error instanceof PassingFailure ? error.retryAfterMs : 0
        await delay(pauseBefore(attempts, pauseMs, askedMs), undefined, { signal })
      }
    }
  }

  async function download(path: string, bytesMax: number, signal: AbortSignal): Promise<Uint8Array | null> {
    let pieces: Uint8Array[] = []
    let length = 0
    /** The version that the pieces are of; null if the server does not say. */
    let tag: string | null = null
    return await attempt(path, signal, async () => {
      const watch = createWatch(silenceMaxMs, silenceMaxMs + bytesMax / bytesPerMsMin, signal)
      try {
        const range: Record<string, string> = length === 0 ? {} : { range: `bytes=${length}-` }
        if (length > 0 && tag !== null) range['if-range'] = tag
        const response = await request('GET', path, null, range, watch.signal)
        if (response.status === 404) {
          await response.body?.cancel()
          return null
        }
        // Buckets may ignore the condition on the version.
        const isSame = tag === null || (strongTag(response) ?? tag) === tag
        const goesOn = response.status === 206 && rangeStart(response) === length && isSame
        if (!goesOn && response.status !== 200) {
          await response.body?.cancel()
          if (response.status === 416 || response.status === 206) {
            pieces = []
            length = 0
            throw new PassingFailure(
              'the server answers another range, or another version, than was asked for',
            )
          }
          throw unavailable(path, `the server answers ${response.status}`)
        }
        if (!goesOn) {
          pieces = []
          length = 0
          tag = strongTag(response)
        }
        // A body is a stream of bytes.
        const body = (response.body ?? []) as AsyncIterable<Uint8Array>
        for await (const piece of body) {
          watch.heard()
          length += piece.length
          if (length > bytesMax) throw tooLong(`${path} of ${name}`, bytesMax)
          pieces.push(piece)
        }
        return Buffer.concat(pieces)
      } catch (error) {
        throw watch.isSilent()
          ? new PassingFailure(`the server falls silent, or is too slow, after ${length} bytes`)
          : error
      } finally {
        watch.stop()
      }
    })
  }

  return {
    name,
    read: download,
    send: (method, path, body, signal, headers = {}) =>
      attempt(path, signal, async () => {
        const limitMs = silenceMaxMs + (body?.length ?? 0) / bytesPerMsMin
        const watch = createWatch(limitMs, limitMs, signal)
        try {
          const response = await request(method, path, body, headers, watch.signal)
          // The connection is free once the body of the answer is read, which is short.
          const bytes = await readBounded(response, answerBytesMax)
          const text = Buffer.from(bytes ?? []).toString('latin1', 0, 4_096)
          // S3's word for a body that came too slowly.
          if (response.status === 400 && text.includes('<Code>RequestTimeout</Code>')) {
            throw new PassingFailure('the server waited too long for the request')
          }
          const { status, ok, headers: answered } = response
          return { status, ok, headers: answered, text }
        } finally {
          watch.stop()
        }
      }),
  }
}

/** The pause after so many attempts, in milliseconds: no shorter than the server asks for, within a bound. */
export function pauseBefore(attempts: number, pauseMs: number, askedMs: number): number {
  return Math.max(Math.min(askedMs, askedPauseMaxMs), pauseMs * 2 ** (attempts - 1))
}

/** A server's word that it lacks a feature: another attempt is in vain. */
export const notImplemented = 501

/** The region of a bucket that a server of S3 names, where requests went to another one. */
export function regionOf(headers: Headers): string | null {
  return /^[a-z0-9-]{1,40}$/.exec(headers.get('x-amz-bucket-region') ?? '')?.[0] ?? null
}

/** A failure after which another attempt may succeed. */
class PassingFailure extends Error {
  /** Time that the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof PassingFailure) return error.message
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return code === 'ECONNREFUSED'
    ? 'nobody listens there'
    : code === 'ENOTFOUND'
      ? 'its name is unknown'
      : 'the connection breaks off'
}

function rangeStart(response: Response): number | null {
  const found = /^bytes ([0-9]{1,15})-/.exec(response.headers.get('content-range') ?? '')
  return found === null ? null : Number(found[1])
}

/** The tag of a version of a file, byte for byte; null without a tag. */
function strongTag(response: Response): string | null {
  return /^"[!#-~]*"$/.exec(response.headers.get('etag') ?? '')?.[0] ?? null
}

/** Aborts where nothing was heard for `silenceMaxMs`, or all took longer than `totalMaxMs`. */
function createWatch(silenceMaxMs: number, totalMaxMs: number, signal: AbortSignal) {
  const ended = new AbortController()
  const silence = setTimeout(() => ended.abort(), silenceMaxMs)
  const total = setTimeout(() => ended.abort(), totalMaxMs)
  return {
    signal: AbortSignal.any([signal, ended.signal]),
    heard: () => silence.refresh(),
    isSilent: () => ended.signal.aborted,
    stop: () => {
      clearTimeout(silence)
      clearTimeout(total)
    },
  }
}
