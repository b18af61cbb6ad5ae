import type { ExportOptions } from '../indexReader.ts'
import { positionMask } from '../layout/rowId.ts'
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
} from '../transfer/formatExportLine.ts'
import { createSeal } from '../transfer/sealExport.ts'
import type { Connection } from './connection.ts'
import { eventLines } from './eventLines.ts'

/**
 * The index as lines of NDJSON, in an order that depends on nothing but its content: a header; each chain with its remembered
 * blocks and its events in their order; schemas that are merely referred to, addresses; the end. Of `connection` the
 * caller has no other use meanwhile: one transaction stays open to the end.
 */
export async function* exportLines(connection: Connection, options: ExportOptions): AsyncGenerator<string> {
  await connection.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  yield* exportWithin(connection, options)
}

/** The same within a transaction that runs already, with what it has written itself. */
export async function* exportWithin(connection: Connection, options: ExportOptions): AsyncGenerator<string> {
  const seal = createSeal()
  for await (const lines of linesOf(connection, options)) {
    for (const line of lines) {
      seal.add(line)
      yield line
    }
  }
  yield seal.lastLine()
}

/** The lines in groups, as their rows come. */
async function* linesOf(
  connection: Connection,
  { times = true, program }: ExportOptions,
): AsyncGenerator<readonly string[]> {
  const chains = await connection.all<[chainId: number, ordinal: number, checkpointBlock: number | null]>(
    'SELECT chain_id, ordinal, checkpoint_block FROM chain ORDER BY chain_id',
  )
  const checkpoints = chains.map(([chainId, , checkpointBlock]) => [chainId, checkpointBlock] as const)
  yield [headerLine(checkpoints, times && program !== undefined ? { program } : {})]
  for (const [chainId, ordinal] of chains) {
    yield [await readChainLine(connection, chainId, times)]
    if (times) yield* blockLines(connection, chainId)
    const range = { chainId, ordinal, first: 0, last: Number(positionMask) }
    for await (const lines of eventLines(connection, range, times)) yield lines.map(({ line }) => line)
  }
  yield* referenceLines(connection)
  yield* addressLines(connection)
}

async function readChainLine(connection: Connection, chainId: number, times: boolean): Promise<string> {
  const row = await connection.get<[...ChainLineRow]>(
    'SELECT name, contracts_json, schema_count, attestation_count, revocation_count, undecodable_count, ' +
      'checkpoint_block, checkpoint_timestamp, rewind_to, ' +
      '(SELECT hash FROM recent_block r WHERE r.chain_id = chain.chain_id AND number = checkpoint_block) ' +
      'FROM chain WHERE chain_id = ?',
    chainId,
  )
  if (row === undefined) throw new Error(`chain ${chainId} is missing from its own snapshot`)
  const anchors = await connection.all<[string, number]>(
    'SELECT kind, count FROM anchor_count WHERE chain_id = ? ORDER BY kind',
    chainId,
  )
  return chainLine(chainId, row, anchors, times)
}

async function* blockLines(connection: Connection, chainId: number): AsyncGenerator<readonly string[]> {
  const batches = connection.batches<[...BlockLineRow]>(
    'SELECT number, hash, parent_hash, timestamp FROM recent_block WHERE chain_id = ? ORDER BY number',
    chainId,
  )
  for await (const rows of batches) yield rows.map((row) => blockLine(chainId, row))
}

async function* referenceLines(connection: Connection): AsyncGenerator<readonly string[]> {
  const batches = connection.batches<[...ReferenceLineRow]>(
    'SELECT chain_id, local_id, attestation_count, attester_count FROM schema WHERE NOT registered ' +
      'ORDER BY chain_id, local_id',
  )
  for await (const rows of batches) yield rows.map(referenceLine)
}

async function* addressLines(connection: Connection): AsyncGenerator<readonly string[]> {
  const batches = connection.batches<[...AddressLineRow]>(
    'SELECT bytes, schemas_created, created, received_other + received_self, created + received_other FROM address ' +
      'WHERE schemas_created + created + received_other + received_self > 0 ORDER BY bytes',
  )
  for await (const rows of batches) yield rows.map(addressLine)
}
