import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { hindranceOf, historyInParts, type HistoryReads } from '@attestry/core/index/chainHistory.ts'
import type { ChainDigest } from '@attestry/core/index/storedRecords.ts'
import { createRowFiles, type FileFormat } from './rowFiles.ts'
import type { DataFile } from './manifests.ts'
import type { LakeTable } from './openTable.ts'
import type { Tip } from './tableState.ts'

/** A row, the table that has it, and the characters of its text. */
export interface LakeRow<Row> {
  readonly table: string
  readonly row: Row
  readonly length: number
}

/** The reads of the lake, and the rows that it makes of them. */
export interface LakeSource<Row> {
  readonly reader: HistoryReads
  /** The rows of the line of an event. */
  rowsOf(line: string): Promise<readonly LakeRow<Row>[]>
  readonly format: FileFormat<Row>
}

export interface WantedRange {
  readonly chainId: ChainId
  /** The blocks below the newest indexed one that may still change. */
  readonly finality: number
  /** The range begins after this. */
  readonly from: Tip
  /** The range ends here; null: at the last final block, or after `eventsMax` events. */
  readonly to: Tip | null
  readonly eventsMax: number
  readonly signal: AbortSignal
}

export type ReadRange =
  | {
      /** `part`: more final blocks follow. `differs`: the chain up to `from`, or `to`, is no longer what it was. */
      readonly kind: 'whole' | 'part' | 'differs'
      readonly tip: Tip
      /** The data files of each table, in the order of the tables. */
      readonly files: readonly (readonly DataFile[])[]
    }
  | {
      /** Why the chain goes no further; null: until its newest blocks, which were reverted, are there again. */
      readonly kind: 'held'
      readonly hindrance: string | null
    }

/**
 * Writes data files with the rows of a range of final blocks for tables that end at the same tip. The digests at both ends
 * of each part of the range are of the state of the index that gives its rows.
 */
export async function readRange<Row>(
  { reader, rowsOf, format }: LakeSource<Row>,
  tables: readonly LakeTable<Row>[],
  { chainId, finality, from, to, eventsMax, signal }: WantedRange,
): Promise<ReadRange> {
  const limits = to === null ? { eventsMax } : { toBlock: to.block }
  const fromBlock = from.block + 1
  const sinks = new Map(tables.map((table) => [table.name, createRowFiles(table, format, chainId)]))
  let final = -1
  let tip = from
  for await (const part of historyInParts(reader, { chainId, finality, fromBlock, ...limits })) {
    signal.throwIfAborted()
    const known = (to ?? from).block
    const hindrance = hindranceOf(part.chain, known - finality, `block ${known} of the lake`)
    if (hindrance !== null || part.chain.toBlock < known) {
      if (final === -1) return { kind: 'held', hindrance }
      // The next range finds it out again.
      break
    }
    if (!isAt(tip, part.chain.digestBefore))
      return { kind: 'differs', tip, files: await endAll(sinks.values()) }
    final = part.chain.toBlock
    for (const { line } of part.events) {
      for (const { table, row, length } of await rowsOf(line)) await sinks.get(table)?.add(row, length)
    }
    if (part.end !== null && part.end.digest !== null) tip = tipAt(part.end.toBlock, part.end.digest)
  }
  if (final === -1) return { kind: 'held', hindrance: 'the chain is not indexed here' }
  const files = await endAll(sinks.values())
  if (to !== null) return { kind: isSame(tip, to) ? 'whole' : 'differs', tip, files }
  return { kind: tip.block < final ? 'part' : 'whole', tip, files }
}

/** Ends the files of all tables. */
async function endAll(
  sinks: Iterable<{ end(): Promise<readonly DataFile[]> }>,
): Promise<readonly (readonly DataFile[])[]> {
  const files: (readonly DataFile[])[] = []
  for (const sink of sinks) files.push(await sink.end())
  return files
}

function tipAt(block: number, { eventCount, value }: ChainDigest): Tip {
  return { block, events: eventCount, digest: value }
}

function isAt(tip: Tip, digest: ChainDigest | null): boolean {
  return digest !== null && isSame(tip, tipAt(tip.block, digest))
}

function isSame(one: Tip, other: Tip): boolean {
  return one.block === other.block && one.events === other.events && one.digest === other.digest
}
