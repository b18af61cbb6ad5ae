import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { eventPosition, logsPerBlockMax } from '../model/position.ts'
import type { ChainLog, FetchedLog } from '../protocols/protocolAdapter.ts'

/**
 * Gives logs their positions: the block, and the index among the indexed logs of that block, from 0. `logs` must be all
 * indexed logs of their blocks, in the order of the chain. The index that a node gives a log is no part of the position:
 * nodes of one chain count differently (docs/adr/0025).
 * @throws InconsistentChainError, retryable, if a block has more logs than any chain allows.
 */
export function placeLogs(logs: readonly FetchedLog[]): readonly ChainLog[] {
  let block = -1
  let index = 0
  return logs.map((log) => {
    index = log.blockNumber === block ? index + 1 : 0
    block = log.blockNumber
    if (index >= logsPerBlockMax) {
      throw new InconsistentChainError(
        `an endpoint gives more than ${logsPerBlockMax} logs of block ${block}, which no chain allows`,
        { retryable: true, facts: { blockNumber: block } },
      )
    }
    return { ...log, position: eventPosition(block, index) }
  })
}
