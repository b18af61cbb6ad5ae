import { setImmediate as nextTurn } from 'node:timers/promises'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import {
  eventPosition,
  positionBlock,
  positionsPerBlock,
  type Position,
} from '@attestry/core/model/position.ts'
import type { HistoryPart, HistoryRequest } from '@attestry/core/index/chainHistory.ts'
import { claimState } from '../layout/bornRevocation.ts'
import { formatDigest, noDigest } from '../layout/chainDigest.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Reads } from '../port/reads.ts'
import { readFindings } from '../layout/chainStatus.ts'
import { readDigest } from '../reading/readDigest.ts'
import { eventLines } from './eventLines.ts'

/**
 * The history of a chain (`HistoryReads.chainHistory`). The caller holds one state of the index open on `reads` until
 * the end, and uses `reads` for nothing else.
 */
export async function* readHistory(
  reads: Reads,
  { chainId, fromBlock, finality, ...limits }: HistoryRequest,
): AsyncGenerator<HistoryPart> {
  const row = await reads.get<ChainColumns>(
    'SELECT ordinal, name, contracts_json, checkpoint_block, rewind_to, digest_block, defect_json FROM chain WHERE chain_id = ?',
    chainId,
  )
  if (row === undefined) return
  const [ordinal, name, contractsJson, checkpointBlock, rewindTo, digestBlock, defectJson] = row
  const toBlock = Math.min(
    (checkpointBlock ?? -1) - finality,
    rewindTo ?? Number.POSITIVE_INFINITY,
    await lastConfirmed(reads, chainId),
    await lastSettled(reads, chainId),
  )
  const [timestamp = null] =
    (await reads.get<[number]>(
      'SELECT timestamp FROM recent_block WHERE chain_id = ? AND number = ?',
      chainId,
      toBlock,
    )) ?? []
  const hasDigest = toBlock >= 0 && toBlock <= (digestBlock ?? -1)
  const digestAt = async (block: number) =>
    hasDigest
      ? formatDigest(block < 0 ? noDigest : await readDigest(reads, { chainId, ordinal }, block))
      : null
  yield {
    kind: 'chain',
    name,
    // Written as such by the writer.
    contracts: JSON.parse(contractsJson) as IndexedContract[],
    toBlock: Math.max(-1, toBlock),
    timestamp,
    digest: await digestAt(toBlock),
    digestBefore: await digestAt(Math.min(fromBlock - 1, toBlock)),
    defect: readFindings(defectJson).defect?.text ?? null,
  }
  const lastBlock = Math.min(toBlock, limits.toBlock ?? toBlock)
  if (lastBlock < fromBlock) return
  const range = {
    chainId,
    ordinal,
    first: eventPosition(fromBlock, 0),
    last: eventPosition(lastBlock, positionsPerBlock - 1),
  }
  const eventsMax = limits.eventsMax ?? Number.POSITIVE_INFINITY
  let count = 0
  let block = fromBlock
  for await (const lines of eventLines(reads, range, 'events')) {
    const events = lines.map(({ position, line }) => ({ block: positionBlock(position as Position), line }))
    const cut = events.findIndex(
      (event, index) => count + index >= eventsMax && event.block !== (events[index - 1]?.block ?? block),
    )
    yield { kind: 'events', events: cut === -1 ? events : events.slice(0, cut) }
    count += events.length
    block = (cut === -1 ? events.at(-1) : events[cut - 1])?.block ?? block
    if (cut !== -1) {
      yield { kind: 'end', toBlock: block, digest: await digestAt(block) }
      return
    }
    // Reads from an embedded database never leave the turn of the event loop, and other work waits.
    await nextTurn()
  }
  yield { kind: 'end', toBlock: lastBlock, digest: await digestAt(lastBlock) }
}

type ChainColumns = [
  ordinal: number,
  name: string,
  contractsJson: string,
  checkpointBlock: number | null,
  rewindTo: number | null,
  digestBlock: number | null,
  defectJson: string | null,
]

/** Blocks that the index remembers above the oldest of them are not confirmed yet (docs/adr/0023). */
async function lastConfirmed(reads: Reads, chainId: number): Promise<number> {
  const row = await reads.get<[number | null]>(
    'SELECT min(number) FROM recent_block WHERE chain_id = ?',
    chainId,
  )
  return row?.[0] ?? Number.POSITIVE_INFINITY
}

/** The block before the oldest attestation whose revocation is claimed and not settled. */
async function lastSettled(reads: Reads, chainId: number): Promise<number> {
  const row = await reads.get<[number | null]>(
    `SELECT min(id & ${positionMask}) FROM revocation_claim WHERE chain_id = ? AND state = ?`,
    chainId,
    claimState.pending,
  )
  const position = row?.[0] ?? null
  return position === null ? Number.POSITIVE_INFINITY : positionBlock(position as Position) - 1
}
