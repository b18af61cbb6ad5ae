import { ConfigError, StartError } from '@attestry/core/errors/configErrors.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { ChainLog } from '@attestry/core/protocols/protocolAdapter.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import { placeLogs } from '@attestry/core/sync/placeLogs.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { estimateChain, type ChainEstimate } from './estimateChain.ts'
import { formatCheck } from './formatCheck.ts'
import {
  probeEndpoint,
  probeLimits,
  type ChainReport,
  type ProbedChain,
  type ProbedEndpoint,
} from './probeEndpoint.ts'
import type { CommandReport } from '@attestry/host/standardOutput.ts'

/** Options of `attestry check`, not yet checked. */
export interface CheckFlags {
  readonly requestsPerSecond?: string
  readonly json?: boolean
}

/**
 * Asks all endpoints of a configuration what they can do.
 * @throws ConfigError for an option that is not a number, StartError when `stop` aborts.
 */
export async function runCheck(
  config: Pick<Config, 'chains' | 'database'>,
  flags: CheckFlags,
  stop: AbortSignal,
  limits = probeLimits,
): Promise<CommandReport> {
  const planPerSecond = readPlan(flags.requestsPerSecond)
  const chains = await Promise.all(
    config.chains.map(async (chain): Promise<ChainReport> => {
      const probed = describeChain(chain)
      const endpoints = await Promise.all(chain.rpc.map((url) => probeEndpoint(url, probed, limits, stop)))
      const isPostgres = config.database.kind === 'postgres'
      return {
        chainId: chain.chainId,
        name: chain.name,
        endpoints: endpoints.map(({ report }) => report),
        estimate: estimate(probed, endpoints, { isPostgres, planPerSecond }),
      }
    }),
  )
  const endpoints = chains.flatMap((chain) => chain.endpoints)
  const failed = endpoints.filter(({ problems }) => problems.length > 0).length
  const works = failed === 0
  const lines = flags.json === true ? [JSON.stringify({ works, chains }, null, 2)] : formatCheck(chains)
  const sentence = `${failed} of ${endpoints.length} endpoints would not work`
  return { lines, failure: works ? null : new StartError(sentence) }
}

function readPlan(text: string | undefined): number | null {
  if (text === undefined) return null
  const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0
  if (number > 0 && number <= 1e6) return number
  throw new ConfigError(
    `The option --requests-per-second must be a number above 0 and at most 1000000, but is ${quoteText(text)}`,
  )
}

function describeChain(chain: ChainConfig): ProbedChain {
  const adapters = chain.deployments.flatMap((deployment) => {
    const adapter = findProtocol(deployment.protocol)
    return adapter === null ? [] : [{ adapter, deployment }]
  })
  const addresses = new Set<Address>(
    adapters.flatMap(({ adapter, deployment }) => adapter.contractsOf({ ...deployment, startBlock: 0 })),
  )
  const planOf = new Map(
    adapters.flatMap(({ adapter, deployment }) => {
      const placed = { ...deployment, startBlock: 0 }
      return adapter.contractsOf(placed).map((address) => [address, { adapter, placed }])
    }),
  )
  const senderTopics = new Set(adapters.flatMap(({ adapter }) => adapter.senderTopics))
  return {
    chain,
    numberedKinds: adapters.reduce((sum, { adapter }) => sum + (adapter.counters?.kinds.length ?? 0), 0),
    needsOf: (logs) => {
      const isRead = (log: ChainLog) => {
        const plan = planOf.get(log.address)
        return plan !== undefined && plan.adapter.planRead(plan.placed, log) !== null
      }
      const isSent = ({ topics: [topic] }: ChainLog) =>
        chain.transactionSenders || (topic !== undefined && senderTopics.has(topic))
      const placed = placeLogs(logs)
      return {
        reads: placed.filter(isRead).length,
        senders: new Set(placed.filter(isSent).map((log) => log.transactionHash)).size,
      }
    },
    addresses: [...addresses],
    topics: [...new Set(adapters.flatMap(({ adapter }) => adapter.topics))],
    startBlock: Math.min(
      ...chain.deployments.map(({ startBlock, startBlockHint }) => startBlock ?? startBlockHint ?? 0),
    ),
    isSearched: chain.deployments.some(({ startBlock }) => startBlock === null),
  }
}

/** Estimates by the first endpoint that gave logs and has no problem. */
function estimate(
  { chain, startBlock, addresses, numberedKinds, isSearched }: ProbedChain,
  endpoints: readonly ProbedEndpoint[],
  given: { readonly isPostgres: boolean; readonly planPerSecond: number | null },
): ChainEstimate | null {
  const working = endpoints.filter(
    ({ report, samples }) => report.problems.length === 0 && samples.length > 0,
  )
  const [best] = working
  if (best === undefined || best.head === null) return null
  // A search by halves, for each contract.
  const searchCalls = isSearched ? addresses.length * Math.ceil(Math.log2(best.head.number + 2)) : 0
  return estimateChain({
    ...given,
    blocks: Math.max(0, best.head.number - startBlock + 1),
    finality: chain.finality,
    numberedKinds,
    searchCalls,
    hasMulticall: best.report.hasMulticall ?? false,
    hasFullBlooms: /^0xf+$/.test(best.head.logsBloom ?? ''),
    samples: best.samples,
    logRangeBlocks: best.report.logRangeBlocks ?? 1,
    batchCalls: best.report.batchCalls ?? 1,
    inFlight: chain.requests.inFlight,
    perSecond: chain.requests.perSecond,
    endpoints: working.length,
  })
}
