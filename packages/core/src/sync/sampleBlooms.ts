import type { BlockHeader } from '../chain/chainClient.ts'
import { AttestryError } from '../errors/baseError.ts'
import { RpcMissingError, RpcRefusedError } from '../errors/rpcErrors.ts'
import { bloomMayContain, chanceInBloom } from '../model/logsBloom.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import { deploymentOf, isIndexed, type EventSource, type IndexedDeployment } from './fetchEvents.ts'
import type { BlockRange } from './fetchRange.ts'

/** The evidence of blooms about logs that endpoints left out of their answers for ranges. */
export interface BloomSample {
  /** The logs of the blocks by their hashes. */
  readonly logs: readonly FetchedLog[]
  /** The blocks whose blooms announce logs, and those whose blooms exclude them. */
  readonly announcing: readonly number[]
  readonly excluding: readonly number[]
  /**
   * The deployments whose logs the blooms of these blocks announce, more often than chance explains, and no endpoint
   * gives.
   */
  readonly unexplained: ReadonlyMap<IndexedDeployment, readonly number[]>
}

/** The blooms contradict the answers if chance would announce as many logs less often than this. */
const chanceMax = 0.001

/**
 * Compares the blooms of some blocks with their logs: the header of a block that an endpoint left out announces the
 * logs. Full blooms, as on a busy chain, announce everything and say nothing.
 */
export async function sampleBlooms(
  source: EventSource,
  blocks: readonly number[],
  signal: AbortSignal,
): Promise<BloomSample> {
  const { client, addresses, topics } = source
  const headers = await client.fetchHeadersOf(blocks, signal)
  const announces = ({ logsBloom }: BlockHeader) =>
    logsBloom !== null && bloomMayContain(logsBloom, addresses, topics)
  const announcing = headers.filter(announces)
  const excluding = headers.filter((header) => header.logsBloom !== null && !announces(header))
  const told = announcing.length === 0 ? [] : await fetchLogsOf(source, announcing, signal)
  const logs = told.filter((log) => isIndexed(source, log))
  const unexplained = new Map<IndexedDeployment, readonly number[]>()
  for (const indexed of new Set(source.deploymentsByAddress.values())) {
    const own = new Set(
      told.filter((log) => deploymentOf(source, log) === indexed).map(({ blockNumber }) => blockNumber),
    )
    const silent = headers.filter(({ number }) => number >= indexed.deployment.startBlock && !own.has(number))
    const ungiven = findUnexplained(indexed, silent)
    if (ungiven.length > 0) unexplained.set(indexed, ungiven)
  }
  const numbersOf = (some: readonly BlockHeader[]) => some.map(({ number }) => number)
  return { logs, announcing: numbersOf(announcing), excluding: numbersOf(excluding), unexplained }
}

/** No logs where endpoints do not give those of a block by its hash. */
async function fetchLogsOf(
  { client, addresses, topics }: EventSource,
  headers: readonly BlockHeader[],
  signal: AbortSignal,
): Promise<readonly FetchedLog[]> {
  try {
    return await client.fetchLogsOf(headers, { addresses, topics }, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof AttestryError)) throw error
    if (error instanceof RpcRefusedError || error instanceof RpcMissingError) return []
    throw error
  }
}

/** The blocks without logs of a deployment whose blooms announce some; none if chance explains them. */
function findUnexplained(
  { deployment, adapter }: IndexedDeployment,
  silent: readonly BlockHeader[],
): readonly number[] {
  const contracts = adapter.contractsOf(deployment)
  const { topics } = adapter
  const found: number[] = []
  const chances: number[] = []
  for (const { number, logsBloom } of silent) {
    // The contract may have logs there that are not indexed: only the topics are left to chance.
    if (logsBloom === null || !bloomMayContain(logsBloom, contracts, [])) continue
    chances.push(1 - (1 - chanceInBloom(logsBloom)) ** topics.length)
    if (bloomMayContain(logsBloom, [], topics)) found.push(number)
  }
  return chanceOf(found.length, chances) < chanceMax ? found : []
}

/** The probability that at least `count` of several things happen, each with a chance of its own. */
function chanceOf(count: number, chances: readonly number[]): number {
  // The probability of each number of things, up to `count` or more.
  let odds = [1, ...Array.from({ length: count }, () => 0)]
  for (const chance of chances) {
    odds = odds.map(
      (odd, index) => odd * (index === count ? 1 : 1 - chance) + (odds[index - 1] ?? 0) * chance,
    )
  }
  return odds[count] ?? 0
}

/** Blocks to look at, ascending: one half in the ranges without logs, by their lengths, the other half anywhere. */
export function drawBlocks(
  whole: BlockRange,
  empty: readonly BlockRange[],
  count: number,
  random: () => number,
): readonly number[] {
  const lengths = empty.map(({ fromBlock, toBlock }) => toBlock - fromBlock + 1)
  const sum = lengths.reduce((all, length) => all + length, 0)
  const blocks = new Set<number>()
  for (let draw = 0; draw < count; draw++) {
    if (draw % 2 === 0 && sum > 0) {
      let at = Math.floor(random() * sum)
      const index = lengths.findIndex((length) => {
        at -= length
        return at < 0
      })
      const range = empty[index]
      if (range !== undefined) blocks.add(range.toBlock + 1 + at)
    } else {
      blocks.add(whole.fromBlock + Math.floor(random() * (whole.toBlock - whole.fromBlock + 1)))
    }
  }
  return [...blocks].sort((a, b) => a - b)
}
