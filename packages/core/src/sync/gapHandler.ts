import type { ChainClient } from '../chain/chainClient.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { nounOf } from '../protocols/protocolAdapter.ts'
import type { EventSource } from './fetchEvents.ts'
import type { IndexedChain, SyncLog } from './indexedChain.ts'
import type { RecordGap } from './recordSeries.ts'
import { isOfGap } from './tallyLogs.ts'

/**
 * Times that blocks are fetched again for the same missing records: more than an endpoint that omits logs keeps its
 * place.
 */
const gapAttemptsMax = 8

/** The methods of the chain's client that the search for a gap's records needs. */
export type GapSearch = Pick<ChainClient, 'findLog' | 'proveLog' | 'noteOmission'>

/**
 * Creates a function that handles records that were made but have no fetched log. `indexedBlock` is the checkpoint. Four
 * cases:
 * 1. An endpoint has the log of such a record, of a block that is not indexed yet: the blocks are fetched again from
 *    endpoints that have the log. Endpoints without it are not asked for old logs any more.
 * 2. The block is indexed already: the index is not reverted, and the function returns what is missing.
 * 3. No endpoint that answers has such a log, and others do not answer: the chain waits for them.
 * 4. No endpoint has such a log: the function returns what is missing, and the chain goes on. The function throws
 *    InconsistentChainError, retryable, in the first and third case.
 */
export function createGapHandler(
  client: GapSearch,
  { chainId }: Pick<IndexedChain, 'chainId'>,
  log: SyncLog,
): (
  gap: RecordGap,
  source: Pick<EventSource, 'addresses' | 'topics'>,
  indexedBlock: number,
  signal: AbortSignal,
) => Promise<string> {
  const attemptsOfGap = new Map<string, number>()

  return async (gap, { addresses, topics }, indexedBlock, signal) => {
    const what = describeGap(gap)
    const { fromBlock, toBlock } = gap
    const facts = { chainId, fromBlock, toBlock }
    const filter = { addresses, topics, fromBlock, toBlock }
    const attempts = attemptsOfGap.get(what) ?? 0
    const { log: found, unanswered } =
      attempts >= gapAttemptsMax
        ? { log: null, unanswered: [] }
        : await client.findLog(filter, (each) => isOfGap(gap, each), signal)
    if (unanswered.length > 0) {
      throw new InconsistentChainError(
        `${what} were kept back by the endpoints that answer: waiting for ${unanswered.join(', ')}`,
        { retryable: true, facts: { ...facts, hosts: unanswered } },
      )
    }
    attemptsOfGap.set(what, attempts + 1)
    if (found !== null) {
      await client.proveLog(found, signal)
      client.noteOmission(found)
    }
    if (found !== null && found.blockNumber > indexedBlock) {
      throw new InconsistentChainError(
        `${what} were kept back by an endpoint: reading again from block ${indexedBlock + 1}`,
        { retryable: true, facts },
      )
    }
    const where = found === null ? 'no endpoint gives their logs' : `they begin in block ${found.blockNumber}`
    const missing = `${what} are missing from the index: ${where}`
    log('warn', `${missing}; "attestry verify --repair" reads them from an endpoint that has them`, facts)
    return missing
  }
}

function describeGap({ indexed, what, first, last }: RecordGap): string {
  const { protocol, address } = indexed.deployment
  const numbers = first === last ? `from number ${first} on` : `number ${first} to ${last}`
  return `${nounOf(indexed.adapter.counters, what)}s ${numbers} of the ${protocol} contract ${address}`
}
