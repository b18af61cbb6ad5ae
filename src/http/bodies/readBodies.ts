import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { BadRequestError, BodyRefusedError, OverloadedError } from '../../errors/apiErrors.ts'
import { createBodyBudget } from './bodyBudget.ts'
import { nestsDeeper } from '../../model/nesting.ts'
import { takeTurn } from '../../model/threadTurns.ts'

/** Reads the bodies of requests, under limits that all requests of the process share. */
export interface Bodies {
  /**
   * Reads a body of JSON whole, as text without a byte order mark.
   * @throws BodyRefusedError for a body that is too long, too slow, or not in UTF-8.
   * @throws OverloadedError where the bodies of all requests hold too many bytes.
   * @throws BadRequestError for JSON that nests too deep.
   */
  read(request: IncomingMessage, response: ServerResponse, limits: BodyShape): Promise<string>
  heldBytes(): number
}

/** What one path reads. */
export interface BodyShape {
  readonly bytesMax: number
  /** Whether JSON of any depth is read; else JSON that nests deeper than requests do is refused before it is parsed. */
  readonly anyDepth?: boolean
}

export interface BodyLimits {
  /** Bytes of the bodies of all requests under way. */
  readonly heldBytesMax: number
  /** Time that any body may take. */
  readonly graceMs: number
  /** Bytes a second that a longer body must bring on average. */
  readonly leastRate: number
}

const limitDefaults: BodyLimits = { heldBytesMax: 64 * 2 ** 20, graceMs: 5_000, leastRate: 16 * 1024 }

/**
 * Bytes that the chunks of a body have on average, once there are some. A chunk of any length takes 2 µs and 100 bytes:
 * a body of two megabytes in chunks of one byte took four seconds.
 */
const leastChunk = 256
const chunksFree = 1_000

/** Characters from which on a body has a turn of the event loop to itself. */
const longBodyLength = 64 * 1024

/** How often the rates of arriving bodies are looked at. */
const rateCheckMs = 500

/** The deepest JSON that an endpoint takes has some ten levels. */
export const depthMax = 64

/** Seconds after which a client may send a body again that had no room. */
const retryAfterSeconds = 2

/** Making one takes longer than decoding a query. */
const decoder = new TextDecoder()

/** @param clientOf names the client of a request; clients share the budget. */
export function createBodies(
  clientOf: (request: IncomingMessage) => string,
  limits: Partial<BodyLimits> = {},
): Bodies {
  const { heldBytesMax, graceMs, leastRate } = { ...limitDefaults, ...limits }
  const budget = createBodyBudget(heldBytesMax)

  async function collect(
    request: IncomingMessage,
    response: ServerResponse,
    bytesMax: number,
  ): Promise<string> {
    const chunks: Buffer[] = []
    let length = 0
    const startMs = performance.now()
    const broken = Promise.withResolvers<never>()
    const refuse = (error: Error) => broken.reject(error)
    const place = budget.begin(clientOf(request), () => refuse(crowdedOut()))
    const rateCheck = setInterval(() => {
      if (performance.now() - startMs > graceMs + (length / leastRate) * 1_000) refuse(tooSlow(leastRate))
    }, rateCheckMs)
    response.once('close', () => place.end())
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > bytesMax) return refuse(tooLong(bytesMax))
      chunks.push(chunk)
      if (chunks.length > chunksFree && length < chunks.length * leastChunk) {
        // Node.js would read on until the client has closed its side, 2 µs a chunk.
        response.once('finish', () => request.socket.destroy())
        return refuse(tooFine())
      }
      place.add(chunk.length)
    }
    const whole = Promise.withResolvers<void>()
    const onEnd = () => whole.resolve()
    const onClose = () =>
      refuse(new BodyRefusedError(400, 'The client closed the connection within the body.'))
    request.on('data', onData).once('end', onEnd).once('close', onClose).once('error', refuse)
    try {
      await Promise.race([whole.promise, broken.promise])
    } catch (error) {
      place.end()
      // What is still arriving is not read: the connection ends with the answer.
      if (!response.headersSent) response.setHeader('connection', 'close')
      throw error
    } finally {
      clearInterval(rateCheck)
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', refuse)
    }
    place.arrived()
    const [first] = chunks
    return decoder.decode(chunks.length === 1 ? first : Buffer.concat(chunks))
  }

  return {
    async read(request, response, { bytesMax, anyDepth = false }) {
      checkCharset(request.headers['content-type'] ?? '')
      if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLong(bytesMax)
      const text = await collect(request, response, bytesMax)
      // What a long body says is parsed and checked at once: several that arrive together would be one long turn.
      if (text.length > longBodyLength) await takeTurn()
      if (!anyDepth && nestsDeeper(text, depthMax)) {
        throw new BadRequestError(
          `The body nests more than ${depthMax} levels of arrays and objects; send a flatter one.`,
        )
      }
      return text
    },
    heldBytes: () => budget.heldBytes(),
  }
}

/** Lets the routes of a scope read bodies of JSON by `bodies`; a body of another type is a 415. */
export function addBodyParser(scope: FastifyInstance, bodies: Bodies, shape: BodyShape): void {
  const responses = new WeakMap<IncomingMessage, ServerResponse>()
  scope.removeAllContentTypeParsers()
  // The parser of a body is not told of the answer.
  scope.addHook('preParsing', (request, reply, _payload, done) => {
    responses.set(request.raw, reply.raw)
    done()
  })
  scope.addContentTypeParser('application/json', async (request: { readonly raw: IncomingMessage }) => {
    const response = responses.get(request.raw)
    if (response === undefined) throw new TypeError('a body has no answer')
    return bodies.read(request.raw, response, shape)
  })
}

/** @throws BodyRefusedError for a charset that is not UTF-8, which all JSON is in (RFC 8259, 8.1). */
function checkCharset(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return
  throw new BodyRefusedError(
    415,
    'The body is in another charset than UTF-8; send it as application/json; charset=utf-8.',
  )
}

function tooLong(bytesMax: number): BodyRefusedError {
  return new BodyRefusedError(
    413,
    `The body is longer than the ${bytesMax.toLocaleString('en')} bytes that this path reads; send a shorter one.`,
  )
}

function tooSlow(leastRate: number): BodyRefusedError {
  return new BodyRefusedError(
    408,
    `The body arrives more slowly than ${leastRate.toLocaleString('en')} bytes a second; send it again, whole and at once.`,
  )
}

function tooFine(): BodyRefusedError {
  return new BodyRefusedError(
    400,
    `The body arrives in chunks of a few bytes; send chunks of at least ${leastChunk} bytes.`,
  )
}

function crowdedOut(): OverloadedError {
  return new OverloadedError(
    'The bodies of other requests of this client take all room; ask again in a moment.',
    retryAfterSeconds,
  )
}
