import { AttestryError } from '../errors/baseError.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMissingError } from '../errors/rpcErrors.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import { quarantineMaxMs, type Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import { fetchPart } from './fetchPart.ts'

/**
 * Which endpoints still have the logs of old blocks. A pruned node answers with no logs for the blocks that it has forgotten, as
 * though nothing had happened in them: whoever does not give a log that is known to exist is not asked for old ones.
 */
export interface LogKeepers {
  /**
   * Asks every endpoint that can be asked for a log of a final block that certainly exists, the older the better; from then on no
   * endpoint is asked for old logs that has not given that one. Answers those that were found out only now to have forgotten it.
   */
  prove(log: ChainLog, signal: AbortSignal): Promise<readonly Endpoint[]>
  /**
   * Makes sure that an endpoint may be asked for old logs.
   * @throws RpcMissingError, retryable, where it has forgotten the log that was proved last.
   */
  assertKeeps(endpoint: Endpoint, signal: AbortSignal): Promise<void>
  /** Remembers who answered for which blocks. */
  noteAnswer(part: AnsweredPart): void
  /** Counts it against the endpoint that answered for the log's block last that the log was left out, unless it has forgotten it. */
  noteOmission(log: ChainLog): void
  /** Whether an endpoint is not known to have forgotten old logs. */
  mayKeep(endpoint: Endpoint): boolean
}

/** What was asked of whom. */
interface AnsweredPart {
  readonly fromBlock: number
  readonly toBlock: number
  readonly endpoint: Endpoint
}

/** Answers that are remembered: those of all ranges under way, as a rule. */
const answersKept = 4_096

type Proof = Pick<ResolvedOptions, 'clock' | 'onEvent'>

export function createLogKeepers(
  pool: Pick<EndpointPool, 'available' | 'isAlone' | 'noteContradiction'>,
  options: Proof,
): LogKeepers {
  const { clock, onEvent } = options
  let witness: ChainLog | null = null
  let keepers = new Set<Endpoint>()
  /** Until when each one that has forgotten it is believed to have. */
  const forgetters = new Map<Endpoint, number>()
  let answers: AnsweredPart[] = []

  /** Whether an endpoint gives a log. */
  async function gives(endpoint: Endpoint, log: ChainLog, signal: AbortSignal): Promise<boolean> {
    const filter = {
      addresses: [log.address],
      topics: log.topics.slice(0, 1),
      fromBlock: log.blockNumber,
      toBlock: log.blockNumber,
    }
    const part = await fetchPart(endpoint, filter, options, signal)
    return part?.logs.some(({ position }) => position === log.position) ?? false
  }

  function isForgetter(endpoint: Endpoint): boolean {
    return (forgetters.get(endpoint) ?? 0) > clock.nowMs()
  }

  /** Whether it keeps the witness, which is asked for once. */
  async function keeps(endpoint: Endpoint, log: ChainLog, signal: AbortSignal): Promise<boolean> {
    if (keepers.has(endpoint)) return true
    if (isForgetter(endpoint)) return false
    const isKeeper = await gives(endpoint, log, signal)
    if (isKeeper) {
      if (witness === log) keepers.add(endpoint)
      forgetters.delete(endpoint)
    } else {
      forgetters.set(endpoint, clock.nowMs() + quarantineMaxMs)
      onEvent({ kind: 'logsForgotten', host: endpoint.host, blockNumber: log.blockNumber })
    }
    return isKeeper
  }

  return {
    async prove(log, signal) {
      if (pool.isAlone) return []
      if (witness === null || log.blockNumber < witness.blockNumber) {
        witness = log
        keepers = new Set()
      }
      const proved = witness
      const forgetful = await Promise.all(
        pool.available().map(async (endpoint) => {
          try {
            const wasKnown = isForgetter(endpoint)
            return (await keeps(endpoint, proved, signal)) || wasKnown ? [] : [endpoint]
          } catch (error) {
            // It is asked again before it is believed.
            if (signal.aborted || !(error instanceof AttestryError)) throw error
            return []
          }
        }),
      )
      return forgetful.flat()
    },
    noteAnswer({ fromBlock, toBlock, endpoint }) {
      if (pool.isAlone) return
      answers.push({ fromBlock, toBlock, endpoint })
      if (answers.length > 2 * answersKept) answers = answers.slice(answersKept)
    },
    noteOmission({ blockNumber }) {
      const last = answers.findLast((each) => each.fromBlock <= blockNumber && blockNumber <= each.toBlock)
      if (last === undefined || isForgetter(last.endpoint)) return
      const { host } = last.endpoint
      const text = `${host} left out a log of block ${blockNumber}.`
      const facts = { host, blockNumber }
      pool.noteContradiction(last.endpoint, new InconsistentChainError(text, { retryable: true, facts }))
    },
    mayKeep: (endpoint) => !isForgetter(endpoint),
    async assertKeeps(endpoint, signal) {
      if (witness === null || (await keeps(endpoint, witness, signal))) return
      const { host } = endpoint
      const { blockNumber } = witness
      throw new RpcMissingError(
        `${host} has forgotten the logs of old blocks, such as those of block ${blockNumber}.`,
        {
          retryable: true,
          facts: { host, blockNumber },
        },
      )
    },
  }
}
