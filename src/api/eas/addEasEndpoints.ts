import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assertValidSchema, buildSchema } from 'graphql'
import { NotFoundError } from '../../errors/apiErrors.ts'
import { formatCompositeId, parseChainId, parseLocalId, type ChainId } from '../../model/compositeId.ts'
import { parseAddress } from '../../model/hex.ts'
import { checksumAddress } from '../../model/checksumAddress.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { ApiContext } from '../addEndpoint.ts'
import { addGraphqlEndpoint, type GraphqlTarget, type NoteFailure } from '../graphql/addGraphqlEndpoint.ts'
import { createExecutor } from '../graphql/createExecutor.ts'
import { addBehaviours } from '../graphql/fields/fieldBehaviour.ts'
import { createGraphiqlPage } from '../graphql/graphiqlPage.ts'
import type { GraphqlLimits } from '../graphql/limits.ts'
import { corsHeaders } from '../headers.ts'
import { quoteInput } from '../quoteInput.ts'
import { defaultEasLimits, type EasLimits } from './budget.ts'
import { checkNesting } from './checkNesting.ts'
import { easBehaviours } from './easBehaviours.ts'
import { createEasContext, createEasServices, type EasChain, type EasProtocol } from './easContext.ts'
import { easExamples } from './easExamples.ts'
import { findNetwork } from './networkNames.ts'
import { easTypeDefinitions } from './typeDefinitions.ts'

export interface EasOptions {
  readonly context: ApiContext
  readonly protocol: EasProtocol
  readonly noteFailure: NoteFailure
  /** Where they are not the default. */
  readonly limits: Partial<EasLimits>
  /** Called with every error that is not the client's. */
  readonly onFailure: (error: unknown) => void
}

/** The endpoints that answer as easscan does, to be added under each of a server's bases. */
export function createEasEndpoints(options: EasOptions): (app: FastifyInstance) => void {
  const { context, protocol, noteFailure, onFailure } = options
  const { reader, queries, decodePayload } = context
  const limits = { ...defaultEasLimits, ...options.limits }
  // No cost is estimated before the execution: the budget of the request counts what is read.
  const documentLimits: GraphqlLimits = { ...limits, cost: Infinity }
  const services = createEasServices({ reader, queries, decodePayload, protocol, limits })
  const openExecutor = () => {
    const schema = buildSchema(easTypeDefinitions())
    assertValidSchema(schema)
    addBehaviours(schema, easBehaviours)
    return createExecutor({
      schema,
      createContext: (chain: EasChain) => createEasContext(services, chain),
      limits: documentLimits,
      onFailure,
    })
  }
  // Made for the first request: the schema takes 2 MB, and twice as much while it is built, in each serving process.
  let executor: ReturnType<typeof openExecutor> | null = null
  const listChains = createChainList(reader, protocol.name)
  const targetOf = (request: FastifyRequest): GraphqlTarget => {
    const chainId = chainIdOf(request)
    return {
      key: `eas ${chainId ?? ''} `,
      execute: async (sent) => {
        checkNesting(sent)
        executor ??= openExecutor()
        return await executor.execute(sent, findChain(await listChains(), chainId))
      },
    }
  }
  const page = createGraphiqlPage('Attestry, EAS', easExamples)
  return (app) => {
    for (const url of ['/eas/graphql', '/eas/:chain/graphql', '/eas/:chain/graphql/graphql']) {
      addGraphqlEndpoint(app, {
        context,
        limits: documentLimits,
        noteFailure,
        url,
        page,
        targetOf,
        subscriptions: null,
      })
    }
    addRedirects(app)
  }
}

/** The chain that a path names; null for a path without one. */
function chainIdOf({ params }: FastifyRequest): ChainId | null {
  const { chain } = params as { readonly chain?: string }
  if (chain === undefined) return null
  const chainId = parseChainId(chain) ?? findNetwork(chain)
  if (chainId !== null) return chainId
  throw new NotFoundError(
    `${quoteInput(chain)} is no chain: give its number, or the name that easscan has for it, such as base.`,
  )
}

/** The chains with EAS as they are at one version of the index. */
function createChainList(reader: IndexReader, protocol: string): () => Promise<readonly EasChain[]> {
  let known: { readonly version: number; readonly chains: Promise<readonly EasChain[]> } | null = null
  const read = async () =>
    (await reader.listChains())
      .filter(({ status }) => status.protocols.includes(protocol))
      .map(({ status }) => ({ chainId: status.chainId, isShared: status.protocols.length > 1 }))
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
function findChain(chains: readonly EasChain[], chainId: ChainId | null): EasChain {
  const found = chainId === null ? chains : chains.filter((chain) => chain.chainId === chainId)
  const [chain] = found
  if (chain !== undefined && found.length === 1) return chain
  const numbers = chains.map((each) => each.chainId).join(', ')
  const known = numbers === '' ? 'no chain' : `chain ${numbers}`
  const message = chainId === null ? 'The path names no chain' : `EAS is not indexed on chain ${chainId}`
  throw new NotFoundError(`${message}; it is indexed on ${known}: ask /eas/<chain>/graphql.`)
}

/** easscan's links lead to the pages of the explorer. */
function addRedirects(app: FastifyInstance): void {
  const redirect = (path: string, pageOf: (id: string, chainId: ChainId) => string | null) => {
    app.get(`/eas/:chain/${path}/:id`, (request, reply) => {
      const { id = '' } = request.params as { readonly id?: string }
      const chainId = chainIdOf(request)
      const page = chainId === null ? null : pageOf(id, chainId)
      if (page === null)
        throw new NotFoundError(`${quoteInput(id)} is no id of easscan: 0x and hexadecimal digits.`)
      return reply.headers(corsHeaders).redirect(page, 302)
    })
  }
  const recordPage = (kind: string) => (id: string, chainId: ChainId) => {
    const localId = parseLocalId(id)
    return localId === null ? null : `/${kind}/${formatCompositeId({ chainId, localId })}`
  }
  redirect('attestation/view', recordPage('attestation'))
  redirect('schema/view', recordPage('schema'))
  redirect('address', (id) => {
    const address = parseAddress(id)
    return address === null ? null : `/address/${checksumAddress(address)}`
  })
}
