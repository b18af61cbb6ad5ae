import type { Command } from 'commander'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { TProperties } from 'typebox'
import type { FindAsker } from '@attestry/core/shares/askers.ts'
import type { JournalTail } from '@attestry/core/changes/journalTail.ts'
import type { HookReads } from '@attestry/core/index/hookStore.ts'
import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { ContentReads } from '@attestry/core/model/contentReads.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'
import type { OpenPublished } from '@attestry/core/sync/publishedEvents.ts'
import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import type { CommandLine } from '@attestry/host/commandLine.ts'
import type { ConfigPart, NoKeys, ResolvedParts } from '@attestry/host/config/configPart.ts'
import type { Config as ProgramConfig } from '@attestry/host/config/loadConfig.ts'
import type { Environment } from '@attestry/host/config/interpolateVariables.ts'
import type { Output } from '@attestry/host/createOutput.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import type { ApiContext, Provided } from './apiContext.ts'
import type { GraphqlPart } from './interfaces/graphql/createGraphqlSchema.ts'
import type { FindKey } from './pipeline/access/apiKeys.ts'
import type { Access } from './pipeline/access/createAccess.ts'
import type { McpTool } from './interfaces/mcp/mcpTool.ts'
import type { ListedRoute } from './pipeline/listRoutes.ts'
import type { NoteFailure } from './pipeline/errorAnswer.ts'
import type { RequestMeter } from './pipeline/metrics/requestMeter.ts'
import type { Figure } from './pipeline/metrics/createMetrics.ts'
import type { Includes } from './records/furtherIncludes.ts'
import type { SearchPart } from './interfaces/rest/searchPart.ts'

/**
 * A capability of the program that is a package of its own. The composition root lists the wings of a program; every
 * thread and process imports that list. A wing is imported at the start of each command, so its functions import what
 * they need when they run.
 */
export interface Wing<
  Config = unknown,
  Keys extends TProperties = NoKeys,
  ServerKeys extends TProperties = NoKeys,
> extends ConfigPart<Config, Keys, ServerKeys> {
  /**
   * Replaces the paths of files by what is in them, before anything starts and for `attestry check`.
   * @throws ConfigError
   */
  readFiles?(config: Config): Promise<Config>
  /** Adds options to `attestry start`. */
  startOptions?(start: Command): void
  /** Returns the configuration with what these options change. */
  withOptions?(config: Config, flags: object): Config
  /** Prepares the database before `start` or `index` opens it. */
  beforeIndexing?(host: StartHost, config: Config): Promise<void>
  /** Adds the wing's commands. */
  commands?(line: WingCommandLine): void
  /** Opens what answers requests, in each process that answers. */
  serve?(host: ServeHost, config: Config): Promise<ServedWing>
  /** The figures of the whole service, for the process that answers `/metrics`. */
  figures?(reader: WingReader, config: Config): Promise<readonly Figure[]>
  /**
   * Begins what runs beside the writer, in the thread that indexes. The first block is indexed after the promise has
   * resolved. Resolves with undefined if nothing runs there.
   */
  index?(host: IndexHost, config: Config): Promise<IndexingWing | undefined>
}

export interface WingCommandLine extends CommandLine {
  /** Opens a server over the configured database that listens nowhere; `inject` asks it. */
  openServer(config: ProgramConfig, log: Logger): Promise<OpenServer>
  /**
   * Tries the files that the configuration names.
   * @throws ConfigError
   */
  readFiles(config: ProgramConfig): Promise<void>
}

export interface OpenServer {
  readonly app: FastifyInstance
  close(): Promise<void>
}

/** The start of `attestry start` and `attestry index`. */
export interface StartHost {
  readonly config: ProgramConfig
  /** Trimmed. */
  readonly environment: Environment
  readonly output: Output
  readonly signal: AbortSignal
  /**
   * Answers requests by 503 with this sentence until the server starts. A further call replaces the sentence. Does
   * nothing for `attestry index`.
   * @throws StartError when the address cannot be listened on.
   */
  readonly answerMeanwhile: (text: string) => Promise<void>
}

/** A process that answers requests. */
export interface ServeHost {
  readonly reader: IndexReader
  readonly database: DatabaseConfig
  readonly chains: readonly ChainConfig[]
  readonly logger: Logger
  /** Whether the server listens; otherwise only `inject` asks it. */
  readonly listens: boolean
  /** Number of processes that answer together. */
  readonly processes: number
}

/** A wing in a process that answers. */
export interface ServedWing {
  /**
   * Returns what the interfaces of the server read or ask through this wing. Called once for each server, in the order
   * of wings and before `endpoints`.
   */
  readonly provides?: (server: ProvidingServer) => Partial<Provided>
  /** Reads of the content that records point to. At most one wing of a server brings them. */
  readonly content?: ContentReads
  /**
   * Makes what the endpoints share, once for each server.
   * @returns the function that adds the endpoints to a scope: called for paths at `/` and again for paths at `/api`.
   */
  readonly endpoints?: (server: ServerParts) => (scope: FastifyInstance) => void
  /** The same for paths that only the root has, after all others. */
  readonly rootEndpoints?: (server: ServerParts) => (root: FastifyInstance) => void
  /** Pages at the root. At most one wing of a server brings them. */
  readonly pages?: (server: ServerParts) => Pages
  /** Tools of models that ask no endpoint; an endpoint brings its own. */
  readonly tools?: readonly McpTool[]
  /** Members that `include` adds to attestations, by the words that ask for them. */
  readonly includes?: Includes
  /** Adds to the reads of the index what other stores know. */
  readonly wrapReader?: (reader: IndexReader, content: ContentReads | null) => IndexReader
  /** A group of results at `/scan/search`. */
  readonly search?: SearchPart
  /** Types and fields at `/graphql`. */
  readonly graphql?: GraphqlPart
  /** Requests to the endpoints of chains so far. */
  readonly rpcCounts?: () => readonly RpcCount[]
  /** Called after the server has ended. */
  readonly close?: () => Promise<void>
}

export interface ProvidingServer {
  /** Without what later wings provide. */
  readonly context: ApiContext
  readonly findKey: FindKey
  readonly askerOf: FindAsker
  /** Whether a part of the interface needs a key. */
  readonly isPrivate: (part: string) => boolean
}

/** Web pages of a server. */
export interface Pages {
  addRoutes(root: FastifyInstance): void
  /** Answers a request that no route takes; false if there is no answer. */
  answerUnrouted(request: FastifyRequest, reply: FastifyReply): boolean
}

/** The parts of a server that endpoints share. */
export interface ServerParts {
  readonly meter: RequestMeter
  readonly access: Access
  /** The server itself, to be asked by `inject`. */
  readonly app: FastifyInstance
  /** All routes, once the server is ready. */
  readonly routes: readonly ListedRoute[]
  /** `ServedWing.tools` of all wings. */
  readonly tools: readonly McpTool[]
  readonly context: ApiContext
  /** Counts and logs an error that becomes the answer to a request. */
  readonly noteFailure: NoteFailure
  /** Returns a function that logs errors which are not the client's, under one message. */
  readonly logFailure: (message: string) => (error: unknown) => void
}

export type WingReader = IndexReader & ChangeJournal & HookReads

/** The thread that indexes. */
export interface IndexHost {
  readonly chains: readonly ChainConfig[]
  /** Trimmed. */
  readonly environment: Environment
  readonly reader: WingReader
  readonly writer: IndexWriter
  readonly database: DatabaseConfig
  /** Reports new versions of the index. */
  readonly tail: JournalTail<unknown>
  readonly clock: Clock
  readonly log: SyncLog
  /** Aborts when indexing ends. */
  readonly stop: AbortSignal
}

/** A wing in the thread that indexes. */
export interface IndexingWing {
  /** Resolves after `stop` has aborted and everything is closed. Must not reject before. */
  readonly ended: Promise<void>
  /** Returns the search for the published events of a chain; null for a chain that has none. At most one wing brings it. */
  readonly openPublished?: (chainId: ChainId) => OpenPublished | null
}

/**
 * Opens the wings of a process that answers.
 * @returns them in their order; those that only do other things are left out.
 */
export async function openWings(
  wings: readonly Wing[],
  host: ServeHost,
  configs: ResolvedParts,
): Promise<readonly ServedWing[]> {
  const opening = wings.map(async (wing) => await wing.serve?.(host, configs[wing.name]))
  const opened = await Promise.allSettled(opening)
  const served = opened.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []))
  const failed = opened.find((each) => each.status === 'rejected')
  if (failed === undefined) return served
  await closeWings(served)
  throw failed.reason
}

export async function closeWings(served: readonly ServedWing[]): Promise<void> {
  await Promise.all(served.map(async ({ close }) => await close?.()))
}

/**
 * The configurations of all wings with what is in the files that they name.
 * @throws ConfigError
 */
export async function readWingFiles(wings: readonly Wing[], configs: ResolvedParts): Promise<ResolvedParts> {
  const read = await Promise.all(
    wings.map(async (wing) =>
      wing.readFiles === undefined ? [] : [[wing.name, await wing.readFiles(configs[wing.name])] as const],
    ),
  )
  return { ...configs, ...Object.fromEntries(read.flat()) }
}

/** The figures of all wings; those of a wing whose state cannot be read are left out. */
export async function readWingFigures(
  wings: readonly Wing[],
  reader: WingReader,
  configs: ResolvedParts,
): Promise<readonly Figure[]> {
  const figures = await Promise.all(
    wings.map(async (wing) => (await wing.figures?.(reader, configs[wing.name])?.catch(() => [])) ?? []),
  )
  return figures.flat()
}
