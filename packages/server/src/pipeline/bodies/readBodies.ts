import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRequestError, BodyRefusedError } from '@attestry/core/errors/apiErrors.ts'
import { createBodyBudget } from './bodyBudget.ts'
import { nestsDeeper } from '@attestry/core/model/nesting.ts'
import { takeTurn } from '@attestry/core/model/threadTurns.ts'

/** Reads the bodies of requests, under limits that all requests of the process share. */
export interface Bodies {
  /**
   * Reads a body of JSON whole, as text without a byte order mark.
   * @throws BodyRefusedError for a body that is too long, too slow, or not in UTF-8.
   * @throws OverloadedError if the bodies of all requests hold too many bytes.
   * @throws BadRequestError for JSON that nests too deep.
   */
  read(request: IncomingMessage, response: ServerResponse, limits: BodyShape): Promise<string>
}

/** Limits of the bodies that one path reads. */
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

/** How often the rates of all arriving bodies are looked at: a timer for each body took 2 % of a GraphQL request. */
const rateCheckMs = 500

/** The deepest JSON that an endpoint takes has some ten levels. */
export const depthMax = 64

/** Making one takes longer than decoding a query. */
const decoder = new TextDecoder()

/** @param clientOf names the client of a request; clients share the budget. */
export function createBodies(
  clientOf: (request: IncomingMessage) => string,
  limits: Partial<BodyLimits> = {},
): Bodies {
  const { heldBytesMax, graceMs, leastRate } = { ...limitDefaults, ...limits }
  const budget = createBodyBudget(heldBytesMax)
  let rateCheck: NodeJS.Timeout | null = null

  function checkRates(): void {
    const arriving = [...budget.bodies].filter(({ isArriving }) => isArriving)
    if (arriving.length === 0) {
      if (rateCheck !== null) clearInterval(rateCheck)
      rateCheck = null
    }
    const nowMs = performance.now()
    for (const { startMs, bytes, refuse } of arriving) {
      if (nowMs - startMs > graceMs + (bytes / leastRate) * 1_000) refuse(tooSlow(leastRate))
    }
  }

  /** The chunks of a body. The body of a usual query is one chunk, which waits for no timer and no further promise. */
  function collect(request: IncomingMessage, response: ServerResponse, bytesMax: number): Promise<Buffer[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>()
    const chunks: Buffer[] = []
    const body = budget.begin(clientOf(request), (error) => {
      // The rest of the body is not read: the connection ends with the answer.
      if (!response.headersSent) response.setHeader('connection', 'close')
      reject(error)
    })
    rateCheck ??= setInterval(checkRates, rateCheckMs).unref()
    request.on('data', (chunk: Buffer) => {
      if (!body.isArriving) return
      const length = body.bytes + chunk.length
      if (length > bytesMax) return body.refuse(tooLong(bytesMax))
      chunks.push(chunk)
      if (chunks.length > chunksFree && length < chunks.length * leastChunk) {
        // Node.js would read on until the client has closed its side, 2 µs a chunk.
        response.once('finish', () => request.socket.destroy())
        return body.refuse(tooFine())
      }
      body.add(chunk.length)
    })
    request.once('end', () => {
      if (!body.isArriving) return
      body.arrived()
      resolve(chunks)
    })
    request.once('error', body.refuse)
    response.once('close', () => {
      if (body.isArriving) {
        body.refuse(new BodyRefusedError(400, 'The client closed the connection within the body.'))
      }
      body.end()
    })
    return promise
  }

  return {
    async read(request, response, { bytesMax, anyDepth = false }) {
      checkCharset(request.headers['content-type'] ?? '')
      if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLong(bytesMax)
      const chunks = await collect(request, response, bytesMax)
      const text = decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
      // A long body is parsed and checked in one turn: several that arrive together would make one long turn.
      if (text.length > longBodyLength) await takeTurn()
      if (!anyDepth && nestsDeeper(text, depthMax)) {
        throw new BadRequestError(
          `The body nests more than ${depthMax} levels of arrays and objects; send a flatter one.`,
        )
      }
      return text
    },
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer, which the parser of a body is not told of. A WeakMap took a tenth of a GraphQL request to collect. */
    ownResponse: ServerResponse | null
  }
}

/** Lets the routes of a scope read bodies of JSON by `bodies`; a body of another type is a 415. */
export function addBodyParser(scope: FastifyInstance, bodies: Bodies, shape: BodyShape): void {
  scope.removeAllContentTypeParsers()
  if (!scope.hasRequestDecorator('ownResponse')) scope.decorateRequest('ownResponse', null)
  scope.addHook('preParsing', (request, reply, _payload, done) => {
    request.ownResponse = reply.raw
    done()
  })
  scope.addContentTypeParser('application/json', async ({ raw, ownResponse }: FastifyRequest) => {
    if (ownResponse === null) throw new TypeError('a body has no answer')
    return bodies.read(raw, ownResponse, shape)
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
