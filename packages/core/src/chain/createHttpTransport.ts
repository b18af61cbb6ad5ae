import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Pool } from 'undici'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { parseJson, type EncodedCalls } from './matchAnswers.ts'
import type { EndpointAddress } from './parseEndpointUrl.ts'
import { parseRetryAfter } from '../model/parseRetryAfter.ts'
import type { RpcReply, RpcTransport } from './rpcTransport.ts'
import { codeOf, runExchange, tooLarge } from './runExchange.ts'

type TransportOptions = Pick<
  ResolvedOptions,
  'requestTimeoutMs' | 'concurrencyPerEndpoint' | 'clock' | 'heldAnswers'
>

const gunzipAsync = promisify(gunzip)

/** HTTP POST to one endpoint over kept connections. A connection is given up as soon as an answer is too large. */
export function createHttpTransport(address: EndpointAddress, options: TransportOptions): RpcTransport {
  let pool: Promise<Pool> | null = null
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'attestry',
  }
  if (address.authorization !== null) headers['authorization'] = address.authorization

  async function exchange(
    { text: body, headers: further }: EncodedCalls,
    signal: AbortSignal,
    bytesMax: number,
  ): Promise<RpcReply> {
    const connections = await (pool ??= openPool(address, options))
    const response = await connections.request({
      path: address.path,
      method: 'POST',
      headers: { ...further, ...headers },
      body,
      signal,
    })
    const held = options.heldAnswers.begin()
    try {
      const chunks: Buffer[] = []
      let size = 0
      const stream: AsyncIterable<Buffer> = response.body
      for await (const chunk of stream) {
        chunks.push(chunk)
        size += chunk.length
        if (size > bytesMax || !held.add(chunk.length)) throw tooLarge(address.host, Math.min(size, bytesMax))
      }
      const encoding = response.headers['content-encoding']
      const raw = Buffer.concat(chunks, size)
      const text = await decodeBody(raw, firstOf(encoding) ?? 'identity', address.host, bytesMax)
      const parsed = parseJson(text)
      return {
        status: response.statusCode,
        retryAfterMs: parseRetryAfter(response.headers['retry-after'], options.clock.nowMs()),
        body: parsed,
        ...(parsed === undefined && { text: readPage(text) }),
      }
    } finally {
      held.end()
    }
  }

  return {
    post: (calls, signal, bytesMax) =>
      runExchange(address, options.requestTimeoutMs, signal, (inner) => exchange(calls, inner, bytesMax)),
    listen: null,
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

/** The title and the beginning of the text of an HTML page or of plain text. */
function readPage(text: string): string {
  const page = text.slice(0, 20_000).replaceAll(/<(script|style)\b[^]*?<\/\1>/gi, ' ')
  return page
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 500)
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

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
