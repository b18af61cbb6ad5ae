import { AttestryError } from '../errors/baseError.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMissingError } from '../errors/rpcErrors.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import { quarantineMaxMs } from './endpointHealth.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import { fetchPart } from './fetchPart.ts'

/**
 * Finds the endpoints that still have the logs of old blocks. A pruned node answers `[]` for the blocks whose logs it has
 * deleted. An endpoint that does not return a log that is known to exist (the witness) is not asked for old logs.
 */
export interface LogKeepers {
  /**
   * Requests a log that is known to exist in a final block, the older the better, from every endpoint. Afterwards only
   * endpoints that returned this log are asked for old ones. Returns the endpoints that have answered for old logs since
   * the last proof and did not return this one: their answers may lack logs.
   */
  prove(log: FetchedLog, signal: AbortSignal): Promise<readonly Endpoint[]>
  /**
   * Resolves if an endpoint may be asked for old logs.
   * @throws RpcMissingError, retryable, if the endpoint has pruned the witness.
   */
  assertKeeps(endpoint: Endpoint, signal: AbortSignal): Promise<void>
  /**
   * For some hours, does not ask an endpoint for old logs that left out a log of that block, as long as there is an
   * endpoint that did not. Returns whether there is.
   */
  distrust(endpoint: Endpoint, blockNumber: number): boolean
  /** Remembers which endpoint answered for which blocks. */
  noteAnswer(part: AnsweredPart): void
  /** Counts an omitted log against the last endpoint that answered for its block, unless that endpoint is pruned. */
  noteOmission(log: FetchedLog): void
  /** Whether an endpoint is not known to be pruned. */
  mayKeep(endpoint: Endpoint): boolean
}

/** A range of blocks and the endpoint that answered for it. */
interface AnsweredPart {
  readonly fromBlock: number
  readonly toBlock: number
  readonly endpoint: Endpoint
}

/** The number of remembered answers; covers all ranges in flight as a rule. */
const answersKept = 4_096

type Proof = Pick<ResolvedOptions, 'clock' | 'onEvent'>

export function createLogKeepers(
  pool: Pick<EndpointPool, 'endpoints' | 'available' | 'isAlone' | 'noteContradiction'>,
  options: Proof,
): LogKeepers {
  const { clock, onEvent } = options
  let witness: FetchedLog | null = null
  let keepers = new Set<Endpoint>()
  /** Until when each pruned endpoint counts as pruned. */
  const forgetters = new Map<Endpoint, number>()
  /** The endpoints that left out logs, each with a block of these, and until when this counts. */
  const omitters = new Map<Endpoint, { readonly blockNumber: number; readonly untilMs: number }>()
  let answers: AnsweredPart[] = []
  /** The endpoints that have answered since the last proof. */
  let answered = new Set<Endpoint>()

  /** Whether an endpoint returns a log. */
  async function gives(endpoint: Endpoint, log: FetchedLog, signal: AbortSignal): Promise<boolean> {
    const filter = {
      addresses: [log.address],
      topics: log.topics.slice(0, 1),
      fromBlock: log.blockNumber,
      toBlock: log.blockNumber,
    }
    const part = await fetchPart(endpoint, filter, options, signal)
    return part?.logs.some((each) => isSameLog(each, log)) ?? false
  }

  function isForgetter(endpoint: Endpoint): boolean {
    return (forgetters.get(endpoint) ?? 0) > clock.nowMs()
  }

  function isOmitter(endpoint: Endpoint): boolean {
    return (omitters.get(endpoint)?.untilMs ?? 0) > clock.nowMs()
  }

  /** Whether an endpoint is passed over for one that left out nothing. */
  function isPassedOver(endpoint: Endpoint): boolean {
    return isOmitter(endpoint) && pool.endpoints.some((each) => !isOmitter(each) && !isForgetter(each))
  }

  /** Whether an endpoint keeps the witness; one request each. */
  async function keeps(endpoint: Endpoint, log: FetchedLog, signal: AbortSignal): Promise<boolean> {
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
      await Promise.all(
        pool.available().map(async (endpoint) => {
          try {
            await keeps(endpoint, proved, signal)
          } catch (error) {
            if (signal.aborted || !(error instanceof AttestryError)) throw error
          }
        }),
      )
      const unproved = [...answered].filter((endpoint) => !keepers.has(endpoint))
      answered = new Set()
      return unproved
    },
    noteAnswer({ fromBlock, toBlock, endpoint }) {
      if (pool.isAlone) return
      answered.add(endpoint)
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
    mayKeep: (endpoint) => !isForgetter(endpoint) && !isPassedOver(endpoint),
    distrust(endpoint, blockNumber) {
      const isNew = !isOmitter(endpoint)
      omitters.set(endpoint, { blockNumber, untilMs: clock.nowMs() + quarantineMaxMs })
      if (isNew) onEvent({ kind: 'logsLeftOut', host: endpoint.host, blockNumber })
      return isPassedOver(endpoint)
    },
    async assertKeeps(endpoint, signal) {
      if (isPassedOver(endpoint)) throw leavesOut(endpoint, omitters.get(endpoint)?.blockNumber ?? 0)
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

function leavesOut({ host }: Endpoint, blockNumber: number): RpcMissingError {
  const text = `${host} leaves logs out of its answers for old blocks, such as logs of block ${blockNumber}.`
  return new RpcMissingError(text, { retryable: true, facts: { host, blockNumber } })
}

/** Whether two logs say the same. Endpoints may number logs differently. */
export function isSameLog(a: FetchedLog, b: FetchedLog | undefined): boolean {
  return (
    b !== undefined &&
    a.blockHash === b.blockHash &&
    a.transactionHash === b.transactionHash &&
    a.address === b.address &&
    a.data === b.data &&
    a.topics.join() === b.topics.join()
  )
}
