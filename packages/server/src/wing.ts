import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { ApiContext } from './apiContext.ts'
import type { NoteFailure } from './pipeline/errorAnswer.ts'

/** A capability of the server that is a package of its own. The composition root lists the wings of a server. */
export interface Wing {
  /** Unique among the wings of a server. */
  readonly name: string
  /** Opens the wing, once for each server. */
  serve(host: ServeHost): ServedWing
}

/** The parts of a server that wings share. */
export interface ServeHost {
  readonly context: ApiContext
  /** Names the client that sent a request. */
  readonly clientOf: (request: IncomingMessage) => string
  /** Counts and logs an error that becomes the answer to a request. */
  readonly noteFailure: NoteFailure
  /** Returns a function that logs errors which are not the client's, under one message. */
  readonly logFailure: (message: string) => (error: unknown) => void
}

/** A wing within one server. */
export interface ServedWing {
  /** Adds the endpoints to a scope: once for paths at `/`, once for paths at `/api`. */
  readonly addEndpoints: (scope: FastifyInstance) => void
}
