import { createHash } from 'node:crypto'
import type { BlockRef, RememberedBlock } from '../model/chainState.ts'
import { isUnannounced } from '../model/position.ts'
import type { ChainLog, FetchedLog } from '../protocols/protocolAdapter.ts'

/**
 * The seal of the logs of a block: their number, a hyphen and a hash of their content and order. Two readings of a block
 * with the same seal gave the same logs.
 */
export function sealLogs(logs: readonly FetchedLog[]): string {
  const hash = createHash('sha256')
  for (const { transactionHash, address, topics, data } of logs) {
    hash.update(`${JSON.stringify([transactionHash, address, topics, data])}\n`)
  }
  return logs.length === 0 ? '0' : `${logs.length}-${hash.digest('hex').slice(0, 32)}`
}

/** The number of logs that a seal stands for. */
export function sealedCount(seal: string): number {
  return Number.parseInt(seal, 10)
}

/** Blocks to remember, with the seals of their logs. Logs that a contract left out do not count: no endpoint has them. */
export function sealBlocks(
  blocks: readonly BlockRef[],
  logs: readonly ChainLog[],
): readonly RememberedBlock[] {
  const logsOf = Map.groupBy(
    logs.filter(({ position }) => !isUnannounced(position)),
    ({ blockNumber }) => blockNumber,
  )
  return blocks.map(({ number, hash, parentHash, timestamp }) => {
    return { number, hash, parentHash, timestamp, logsSeal: sealLogs(logsOf.get(number) ?? []) }
  })
}
