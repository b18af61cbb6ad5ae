import type { ServerResponse } from 'node:http'
import type { FastifyContextConfig } from 'fastify'
import createRouter from 'find-my-way'
import { urlLengthMax } from '../errorAnswer.ts'
import type { ListedRoute } from '../listRoutes.ts'
import type { RouteMeter } from '../metrics/requestMeter.ts'
import type { FoundAnswer } from './sendAnswer.ts'

/**
 * Finds the answer to a GET.
 * @param version the index version before the read.
 * @param meter the meter of the route, for an answer that is cached.
 * @param response a long read ends once it is closed.
 */
export type FindAnswer = (
  pathParameters: Readonly<Record<string, string>>,
  url: string,
  version: number,
  meter: RouteMeter | null,
  response: ServerResponse,
) => Promise<FoundAnswer>

/** A route whose requests can be answered before the router sees them. */
export interface FoundRoute {
  readonly findAnswer: FindAnswer
  readonly meter: RouteMeter
  readonly pathParameters: Readonly<Record<string, string>>
}

/** All routes of GET by their paths. */
export interface DirectRoutes {
  /** null for the router's requests: every path with escapes, empty segments or other characters than those of ids. */
  find(url: string): FoundRoute | null
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set where a GET can be answered before the router sees it. */
    readonly findAnswer?: FindAnswer
  }
}

const plainPath = /^(?:\/[\w-]+)+(?:\?|$)/

const noQuery = {}

/** Finds by the library that routes the other requests, so that what is found here is what the router finds. */
export function createDirectRoutes(list: readonly ListedRoute[]): DirectRoutes {
  const router = createRouter({ maxParamLength: urlLengthMax, querystringParser: () => noQuery })
  for (const { path, methods, config } of list) {
    if (methods.includes('GET')) router.on('GET', path, notHandled, config)
  }
  return {
    find(url) {
      const found = plainPath.test(url) ? router.find('GET', url) : null
      if (found === null) return null
      const { findAnswer, meter } = found.store as FastifyContextConfig
      if (findAnswer === undefined || meter === undefined) return null
      return { findAnswer, meter, pathParameters: found.params as Readonly<Record<string, string>> }
    },
  }
}

/** The routes of this table are found, and never handled. */
function notHandled(): void {}
