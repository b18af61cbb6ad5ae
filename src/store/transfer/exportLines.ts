import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExportOptions } from '../indexReader.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Reads } from '../port/reads.ts'
import { eventLines } from './eventLines.ts'
import {
  addressLine,
  blockLine,
  chainLine,
  headerLine,
  referenceLine,
  type AddressLineRow,
  type BlockLineRow,
  type ChainLineRow,
  type ReferenceLineRow,
} from './formatExportLine.ts'
import { createSeal } from './sealExport.ts'

/**
 * Yields the index as lines of NDJSON, in an order that depends on its content alone: a header; each chain with its
 * remembered blocks, then its events; schemas that are referred to but not registered; addresses; the seal.
 * The caller holds one snapshot of the index open on `reads` until the end, and uses `reads` for nothing else.
 */
export async function* exportLines(reads: Reads, options: ExportOptions): AsyncGenerator<string> {
  const seal = createSeal()
  for await (const lines of linesOf(reads, options)) {
    for (const line of lines) {
      seal.add(line)
      yield line
    }
    // Reads from an embedded database never leave the turn of the event loop, and other work waits.
    await nextTurn()
  }
  yield seal.lastLine()
}

type Lines = AsyncGenerator<readonly string[]>

async function* linesOf(reads: Reads, { times = true, program }: ExportOptions): Lines {
  const chains = await reads.all<[chainId: number, ordinal: number, checkpointBlock: number | null]>(
    'SELECT chain_id, ordinal, checkpoint_block FROM chain ORDER BY chain_id',
  )
  const checkpoints = chains.map(([chainId, , checkpointBlock]) => [chainId, checkpointBlock] as const)
  yield [headerLine(checkpoints, times && program !== undefined ? { program } : {})]
  for (const [chainId, ordinal] of chains) {
    yield [await readChainLine(reads, chainId, times)]
    if (times) yield* blockLines(reads, chainId)
    const range = { chainId, ordinal, first: 0, last: Number(positionMask) }
    for await (const lines of eventLines(reads, range, times)) yield lines.map(({ line }) => line)
  }
  // One chain at a time, in the order of an index: of all chains at once, SQLite would sort the rows in memory.
  for (const [chainId] of chains) yield* referenceLines(reads, chainId)
  yield* addressLines(reads)
}

async function readChainLine(reads: Reads, chainId: number, times: boolean): Promise<string> {
  const row = await reads.get<[...ChainLineRow]>(
    'SELECT name, contracts_json, schema_count, attestation_count, revocation_count, undecodable_count, ' +
      'checkpoint_block, checkpoint_timestamp, rewind_to, ' +
      '(SELECT hash FROM recent_block r WHERE r.chain_id = chain.chain_id AND number = checkpoint_block) ' +
      'FROM chain WHERE chain_id = ?',
    chainId,
  )
  if (row === undefined) throw new Error(`chain ${chainId} is missing from its own snapshot`)
  const anchors = await reads.all<[string, number]>(
    'SELECT kind, count FROM anchor_count WHERE chain_id = ? ORDER BY kind',
    chainId,
  )
  return chainLine(chainId, row, anchors, times)
}

async function* blockLines(reads: Reads, chainId: number): Lines {
  const batches = reads.batches<[...BlockLineRow]>(
    'SELECT number, hash, parent_hash, timestamp FROM recent_block WHERE chain_id = ? ORDER BY number',
    chainId,
  )
  for await (const rows of batches) yield rows.map((row) => blockLine(chainId, row))
}

async function* referenceLines(reads: Reads, chainId: number): Lines {
  const { flag, hidden } = reads.dialect
  const batches = reads.batches<[...ReferenceLineRow]>(
    'SELECT chain_id, local_id, attestation_count, attester_count FROM schema ' +
      `WHERE ${flag('registered', false)} AND ${hidden('chain_id', 'integer')} = ? ORDER BY local_id, chain_id, protocol`,
    chainId,
  )
  for await (const rows of batches) yield rows.map(referenceLine)
}

async function* addressLines(reads: Reads): Lines {
  const batches = reads.batches<[...AddressLineRow]>(
    'SELECT bytes, schemas_created, created, received_other + received_self, created + received_other FROM address ' +
      'WHERE schemas_created + created + received_other + received_self > 0 ORDER BY bytes',
  )
  for await (const rows of batches) yield rows.map(addressLine)
}
