import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Pool } from 'undici'
import { AttestryError } from '../errors/baseError.ts'
import { RpcMalformedError, RpcUnreachableError } from '../errors/rpcErrors.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { HttpAnswer, HttpTransport } from './httpTransport.ts'
import type { EndpointAddress } from './parseEndpointUrl.ts'
import { parseRetryAfter } from './parseRetryAfter.ts'

type TransportOptions = Pick<ResolvedOptions, 'requestTimeoutMs' | 'concurrencyPerEndpoint' | 'clock'>

const gunzipAsync = promisify(gunzip)

/** HTTP POST to one endpoint over kept connections. */
export function createHttpTransport(address: EndpointAddress, options: TransportOptions): HttpTransport {
  let pool: Promise<Pool> | null = null
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'attestry',
  }
  if (address.authorization !== null) headers['authorization'] = address.authorization

  async function exchange(body: string, signal: AbortSignal, bytesMax: number): Promise<HttpAnswer> {
    const connections = await (pool ??= openPool(address, options))
    const response = await connections.request({ path: address.path, method: 'POST', headers, body, signal })
    const chunks: Buffer[] = []
    let size = 0
    const stream: AsyncIterable<Buffer> = response.body
    for await (const chunk of stream) {
      chunks.push(chunk)
      size += chunk.length
      if (size > bytesMax) throw tooLarge(address.host, bytesMax)
    }
    const encoding = response.headers['content-encoding']
    const raw = Buffer.concat(chunks, size)
    return {
      status: response.statusCode,
      retryAfterMs: parseRetryAfter(firstOf(response.headers['retry-after']), options.clock.nowMs()),
      text: await decodeBody(raw, firstOf(encoding) ?? 'identity', address.host, bytesMax),
    }
  }

  return {
    async post(body, signal, bytesMax) {
      signal.throwIfAborted()
      const controller = new AbortController()
      let timedOut = false
      const timer = setTimeout(() => {
        timedOut = true
        controller.abort()
      }, options.requestTimeoutMs)
      const onAbort = () => controller.abort()
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        return await exchange(body, controller.signal, bytesMax)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (error instanceof AttestryError) throw error
        throw unreachable(address, error, timedOut ? options.requestTimeoutMs : null)
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
    },
    destroy: async () => await (await pool)?.destroy(),
  }
}

/** Loads the library with the first request: processes that serve hold clients of which most are never used. */
async function openPool(address: EndpointAddress, options: TransportOptions): Promise<Pool> {
  const undici = await import('undici')
  return new undici.Pool(address.origin, {
    connections: options.concurrencyPerEndpoint,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    // Our own timer covers a whole exchange; the pool's would only cover parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.requestTimeoutMs },
    allowH2: false,
  })
}

async function decodeBody(raw: Buffer, encoding: string, host: string, maxBytes: number): Promise<string> {
  if (encoding === 'identity' || encoding === '') return raw.toString('utf8')
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new RpcMalformedError(
      `${host} answered in the encoding ${encoding.slice(0, 20)}, which was not asked for.`,
      {
        retryable: true,
        facts: { host },
      },
    )
  }
  try {
    return (await gunzipAsync(raw, { maxOutputLength: maxBytes })).toString('utf8')
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(host, maxBytes)
    throw new RpcMalformedError(`${host} answered with a damaged gzip body.`, {
      retryable: true,
      facts: { host },
    })
  }
}

function tooLarge(host: string, maxBytes: number): RpcMalformedError {
  return new RpcMalformedError(`${host} answered with more than ${maxBytes} bytes.`, {
    retryable: true,
    facts: { host, reason: 'tooLarge' },
  })
}

/** The library's own error is not passed on: its fields may hold parts of the request or of the answer. */
function unreachable(
  address: EndpointAddress,
  error: unknown,
  timeoutMs: number | null,
): RpcUnreachableError {
  const { host } = address
  const code = codeOf(error)
  if (timeoutMs !== null || code === 'UND_ERR_CONNECT_TIMEOUT') {
    const within = timeoutMs === null ? 'in time' : `within ${timeoutMs} ms`
    return new RpcUnreachableError(`${host} did not answer ${within}.`, {
      retryable: true,
      facts: { host, reason: 'timeout' },
    })
  }
  const text = error instanceof Error ? address.redact(error.message).slice(0, 200) : ''
  const cause = Object.assign(new Error(text), { code })
  const reason = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)
    ? 'refused'
    : 'broken'
  return new RpcUnreachableError(`${host} cannot be reached (${code === '' ? 'no answer' : code}).`, {
    cause,
    retryable: true,
    facts: { host, reason },
  })
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
