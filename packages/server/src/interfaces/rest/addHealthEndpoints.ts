import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import type { Operation } from '../../pipeline/endpoint.ts'
import { errorEnvelope, storeUnavailableMessage, successEnvelope } from '../../pipeline/envelope.ts'
import { corsHeaders, jsonContentType } from '../../pipeline/headers.ts'
import { vitalRoute } from '../../pipeline/limits/meterRoutes.ts'
import { orNull } from '../../records/payloadSchemas.ts'
import { chainState, recordCounts } from './activitySchemas.ts'

export interface HealthOptions {
  readonly reader: PastReader
  /** Chains that must have been at their head, even if the index does not know them or has them as paused. */
  readonly chainIds: readonly ChainId[]
}

export interface Readiness {
  readonly statusCode: 200 | 503
  /** The whole body. */
  readonly text: string
}

/**
 * `/healthz` shows that the process answers, `/readyz` that the index is up to date. Both use the envelope of REST
 * answers, and neither may be cached.
 */
export function addHealthEndpoints(app: FastifyInstance, { reader, chainIds }: HealthOptions): void {
  const headers = { ...corsHeaders, 'content-type': jsonContentType, 'cache-control': 'no-store' }
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    config: { operation: healthOperation, isPublic: true, ...vitalRoute },
    handler: (_request, reply) => reply.headers(headers).send(successEnvelope({ status: 'ok' })),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/readyz',
    config: { operation: readinessOperation, isPublic: true, ...vitalRoute },
    handler: async (_request, reply) => {
      const { statusCode, text } = await readReadiness(reader, chainIds)
      return reply.code(statusCode).headers(headers).send(text)
    },
  })
}

const healthOperation: Operation = {
  summary: 'Whether the process answers',
  description: 'Reads nothing of the index: a 200 for as long as the process runs.',
  parameters: {},
  data: Type.Object({ status: Type.Literal('ok') }),
}

const readinessOperation: Operation = {
  summary: 'Whether every configured chain has reached its head; a 503 until then, with the same data',
  description:
    'For load balancers and scripts. A chain that has reached its head once counts until the indexer starts again.',
  parameters: {},
  data: Type.Object({
    status: Type.Literal('ready'),
    chains: Type.Array(
      Type.Object({
        ...chainState,
        ...recordCounts,
        reachedHead: Type.Boolean(),
        eventsPerSecond: Type.Number({ minimum: 0 }),
        blocksMended: Type.Integer({
          minimum: 0,
          description: 'Final blocks that had lacked logs, or had had wrong ones, and were read again.',
        }),
        updatedAt: orNull(Type.Integer({ minimum: 0 }), 'Unix milliseconds; null if no indexer has run.'),
        undecodableCount: Type.Integer({ minimum: 0 }),
        anchorCounts: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
      }),
    ),
  }),
}

/**
 * Ready means: the store answers, at least one chain is known, and each chain of the indexer has reached its head once
 * since the indexer started. A paused chain that no configuration names does not count.
 */
async function readReadiness(reader: PastReader, chainIds: readonly ChainId[]): Promise<Readiness> {
  let chains: readonly ChainOverview[]
  try {
    chains = await reader.listChains()
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error
    const data = { status: 'storeUnavailable', chains: [] }
    return { statusCode: 503, text: errorEnvelope(503, storeUnavailableMessage, data) }
  }
  return presentReadiness(chains, chainIds)
}

/** The answer of `/readyz` for the chains of the index. */
export function presentReadiness(chains: readonly ChainOverview[], chainIds: readonly ChainId[]): Readiness {
  const expected = new Set(chainIds)
  for (const { status } of chains) if (status.phase !== 'paused') expected.add(status.chainId)
  const reached = new Set(
    chains.filter(({ status }) => status.reachedHead).map(({ status }) => status.chainId),
  )
  const waitedFor = [...expected].filter((chainId) => !reached.has(chainId))
  const isReady = chains.length > 0 && waitedFor.length === 0
  const data = { status: isReady ? 'ready' : 'notReady', chains: chains.map(presentChain) }
  if (isReady) return { statusCode: 200, text: successEnvelope(data) }
  const message =
    waitedFor.length === 0
      ? 'No chain is indexed yet; wait for the indexer to start.'
      : `Not every chain has reached its head yet; wait for chain ${waitedFor.join(', ')}.`
  return { statusCode: 503, text: errorEnvelope(503, message, data) }
}

function presentChain(chain: ChainOverview): object {
  const { status, contracts: _contracts, defect: _defect, history: _history, ...counts } = chain
  const { history: _found, ...freshness } = status
  return { ...freshness, chainId: String(status.chainId), ...counts }
}
