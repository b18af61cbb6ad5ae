import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  assertValidSchema,
  buildSchema,
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
} from 'graphql'
import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { parseChainId, type ChainId } from '@attestry/core/model/compositeId.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { aboutChains, type Question } from '@attestry/server/pipeline/asOf/openView.ts'
import { createEffort } from '@attestry/server/pipeline/effort/createEffort.ts'
import {
  addGraphqlEndpoint,
  type GraphqlTarget,
} from '@attestry/server/interfaces/graphql/addGraphqlEndpoint.ts'
import { createExecutor } from '@attestry/server/interfaces/graphql/createExecutor.ts'
import type { ArgumentValues } from '@attestry/server/interfaces/graphql/execution/plan.ts'
import {
  addBehaviours,
  type TypeBehaviour,
} from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import { createGraphiqlPage } from '@attestry/server/interfaces/graphql/graphiqlPage.ts'
import { defaultGraphqlLimits, type GraphqlLimits } from '@attestry/server/interfaces/graphql/limits.ts'
import { takesTexts } from '@attestry/server/interfaces/graphql/prepareOperation.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import type { ServedWing, ServerParts } from '@attestry/server/wing.ts'
import { defaultReadLimits, type Budget, type ReadLimits, type RequestEffort } from './budget.ts'
import { checkDocument, checkVariables, inputObjectsMax } from './checkInputs.ts'

/** The chain that a request asks. */
export interface ProtocolChain {
  readonly chainId: ChainId
  /** The deployment of the protocol. */
  readonly contract: IndexedContract
  /** Whether other protocols are indexed there as well. */
  readonly isShared: boolean
}

/** A GraphQL interface over the records of one protocol on one chain, in the form that other clients expect. */
export interface Dialect {
  /** The name under which the protocol is indexed, its name in messages, and the first part of the paths. */
  readonly protocol: { readonly name: string; readonly title: string; readonly path: string }
  readonly typeDefinitions: () => string
  readonly behaviours: Readonly<Record<string, TypeBehaviour<never, never>>>
  /** Makes the function that creates the contexts of requests. */
  readonly open: (
    context: ApiContext,
    limits: ReadLimits,
  ) => (
    chain: ProtocolChain,
    effort: RequestEffort,
  ) => { readonly usedClock: () => boolean; readonly budget: Budget }
  /** Chains by the names that paths have for them. */
  readonly networks: ReadonlyMap<string, ChainId>
  /** The question of an outermost field, if it is not about the present. */
  readonly aboutOf?: (chainId: ChainId, values: ArgumentValues) => Question | null
  /** Whether variables of `ID` and `Bytes` are as good as those of `String`. */
  readonly takesTexts?: boolean
  /** The queries of a first visit. */
  readonly examples: readonly string[]
  /** Adds further paths. */
  readonly addRoutes?: (app: FastifyInstance) => void
}

/** The chain of a request, and what counts the bytes that the request holds. */
interface Asked extends Pick<RequestEffort, 'hold'> {
  readonly chain: ProtocolChain
}

/** Most characters of an answer, whatever is configured: JavaScript has no text of more than 512 Mi. */
const answerMax = 256 * 1024 * 1024

/** The endpoints `/<path>/<chain>/graphql`. @param given limits, where they are not the default. */
export function serveDialect(dialect: Dialect, given: Partial<ReadLimits>): ServedWing {
  return { endpoints: (host) => createEndpoints(dialect, host, { ...defaultReadLimits, ...given }) }
}

function createEndpoints(
  dialect: Dialect,
  { context, noteFailure, logFailure }: ServerParts,
  readLimits: ReadLimits,
): (app: FastifyInstance) => void {
  const { protocol, behaviours } = dialect
  // No cost is estimated before the execution: the budget of the request counts what is read.
  // A field of a row may be asked for under many names, so that its answer is larger than what is read.
  const answer = Math.max(defaultGraphqlLimits.answer, Math.min(readLimits.characters / 2, answerMax))
  const limits: GraphqlLimits = { ...readLimits, cost: Infinity, answer }
  const createContext = dialect.open(context, readLimits)
  const openExecutor = () => {
    const schema = buildSchema(dialect.typeDefinitions())
    schema.extensions = { [takesTexts]: dialect.takesTexts === true }
    assertValidSchema(schema)
    addBehaviours(schema, behaviours)
    beginFields(schema)
    const objectsMax = inputObjectsMax(schema)
    const executor = createExecutor({
      schema,
      createEffort: () => createEffort({ sharesThread: context.reader.sharesThread, isEnded: () => false }),
      createContext: ({ chain, hold }: Asked, effort) => createContext(chain, { ...effort, hold }),
      aboutOf: ({ chain: { chainId } }, values) =>
        dialect.aboutOf?.(chainId, values) ?? aboutChains([chainId]),
      limits,
      checkDocument: (query) => checkDocument(query, objectsMax),
      onFailure: logFailure(`a request to /${protocol.path} failed`),
    })
    return { executor, objectsMax }
  }
  // Made for the first request: EAS's schema takes 2 MB, and twice as much while it is built, in each serving process.
  let opened: ReturnType<typeof openExecutor> | null = null
  const listChains = createChainList(context.reader, protocol.name)
  const targetOf = (request: FastifyRequest): GraphqlTarget => {
    const chainId = chainIdOf(dialect.networks, request)
    return {
      key: `${protocol.path} ${chainId ?? ''} `,
      execute: async (sent, effort) => {
        opened ??= openExecutor()
        const { executor, objectsMax } = opened
        checkVariables(sent.variables, objectsMax)
        const chain = findChain(protocol, await listChains(), chainId)
        const { hold, end } = context.embedding.open()
        try {
          return await executor.execute(sent, { chain, hold }, effort)
        } finally {
          end()
        }
      },
    }
  }
  const page = createGraphiqlPage(`Attestry, ${protocol.title}`, dialect.examples)
  return (app) => {
    for (const path of ['graphql', ':chain/graphql', ':chain/graphql/graphql']) {
      const url = `/${protocol.path}/${path}`
      addGraphqlEndpoint(app, { context, limits, noteFailure, url, page, targetOf, subscriptions: null })
    }
    dialect.addRoutes?.(app)
  }
}

/** Lets the fields with arguments, each of which may plan and make reads, wait for one another within a request. */
function beginFields(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      if (resolve === undefined || field.args.length === 0) continue
      field.resolve = (source, values, context: { readonly budget: Budget }, info) =>
        context.budget.begin(() => resolve(source, values, context, info))
    }
  }
}

/**
 * The chain that a path names by its number or by a name of a network; null for a path without one.
 * @throws NotFoundError
 */
export function chainIdOf(
  networks: ReadonlyMap<string, ChainId>,
  { params }: FastifyRequest,
): ChainId | null {
  const { chain } = params as { readonly chain?: string }
  if (chain === undefined) return null
  const chainId = parseChainId(chain) ?? networks.get(chain) ?? null
  if (chainId !== null) return chainId
  throw new NotFoundError(
    `${quoteInput(chain)} is no chain: give its number, or one of ${[...networks.keys()].join(', ')}.`,
  )
}

/** The chains with the protocol as they are at one version of the index. */
function createChainList(reader: IndexReader, protocol: string): () => Promise<readonly ProtocolChain[]> {
  let known: { readonly version: number; readonly chains: Promise<readonly ProtocolChain[]> } | null = null
  const read = async () =>
    (await reader.listChains()).flatMap(({ status, contracts }) => {
      const contract = contracts.find((each) => each.protocol === protocol)
      const isShared = contracts.some((each) => each.protocol !== protocol)
      return contract === undefined ? [] : [{ chainId: status.chainId, contract, isShared }]
    })
  return async () => {
    const version = await reader.indexVersion()
    if (known?.version !== version) {
      const chains = read()
      known = { version, chains }
      chains.catch(() => {
        known = null
      })
    }
    return await known.chains
  }
}

/**
 * The chain of a request; without a number, the only one.
 * @throws NotFoundError
 */
function findChain(
  { title, path }: Dialect['protocol'],
  chains: readonly ProtocolChain[],
  chainId: ChainId | null,
): ProtocolChain {
  const found = chainId === null ? chains : chains.filter((chain) => chain.chainId === chainId)
  const [chain] = found
  if (chain !== undefined && found.length === 1) return chain
  const numbers = chains.map((each) => each.chainId).join(', ')
  const known = numbers === '' ? 'no chain' : `chain ${numbers}`
  const message = chainId === null ? 'The path names no chain' : `${title} is not indexed on chain ${chainId}`
  throw new NotFoundError(`${message}; it is indexed on ${known}: ask /${path}/<chain>/graphql.`)
}
