import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { sealExport } from '../transfer/sealExport.ts'
import type { Connection } from './connection.ts'
import { eventLines } from './eventLines.ts'

/** Lines given out between two turns of the event loop. */
const linesPerTurn = 500

/**
 * The index as lines of NDJSON, in an order that depends on nothing but its content: a header; each chain with its remembered
 * blocks and its events in their order; schemas that are merely referred to, addresses; the end. Of `connection` the
 * caller has no other use meanwhile: one transaction stays open to the end.
 */
export async function* exportLines(connection: Connection, options: ExportOptions): AsyncGenerator<string> {
  connection.exec('BEGIN')
  let count = 0
  for (const line of sealExport(linesOf(connection, options))) {
    yield line
    count += 1
    if (count % linesPerTurn === 0) await nextTurn()
  }
}

function* linesOf(connection: Connection, { times = true, program }: ExportOptions): Generator<string> {
  yield readHeaderLine(connection, times && program !== undefined ? { program } : {})
  const chains = connection
    .statement<[number, number]>('SELECT chain_id, ordinal FROM chain ORDER BY chain_id')
    .all()
  for (const [chainId, ordinal] of chains) {
    yield readChainLine(connection, chainId, times)
    if (times) yield* blockLines(connection, chainId)
    const range = { chainId, ordinal, first: 0, last: Number(positionMask) }
    for (const { line } of eventLines(connection, range, times)) yield line
  }
  yield* referenceLines(connection)
  yield* addressLines(connection)
}

function readHeaderLine(connection: Connection, program: { readonly program?: string }): string {
  const chains = connection
    .statement<[number, number | null]>('SELECT chain_id, checkpoint_block FROM chain ORDER BY chain_id')
    .all()
  return headerLine(chains, program)
}

function readChainLine(connection: Connection, chainId: number, times: boolean): string {
  const row = connection
    .statement<[...ChainLineRow]>(
      'SELECT name, contracts_json, schema_count, attestation_count, revocation_count, undecodable_count, ' +
        'checkpoint_block, checkpoint_timestamp, rewind_to, ' +
        '(SELECT hash FROM recent_block r WHERE r.chain_id = chain.chain_id AND number = checkpoint_block) ' +
        'FROM chain WHERE chain_id = ?',
    )
    .get(chainId)
  if (row === undefined) throw new Error(`chain ${chainId} is missing from its own snapshot`)
  const anchors = connection
    .statement<[string, number]>('SELECT kind, count FROM anchor_count WHERE chain_id = ? ORDER BY kind')
    .all(chainId)
  return chainLine(chainId, row, anchors, times)
}

function* blockLines(connection: Connection, chainId: number): Generator<string> {
  const rows = connection
    .statement<[...BlockLineRow]>(
      'SELECT number, hash, parent_hash, timestamp FROM recent_block WHERE chain_id = ? ORDER BY number',
    )
    .iterate(chainId)
  for (const row of rows) yield blockLine(chainId, row)
}

function* referenceLines(connection: Connection): Generator<string> {
  // Chain by chain they come in the order of an index; for all chains at once SQLite would sort them in memory.
  const chains = connection.statement<[number]>('SELECT chain_id FROM chain ORDER BY chain_id').all()
  for (const [chainId] of chains) {
    const rows = connection
      .statement<[...ReferenceLineRow]>(
        'SELECT chain_id, local_id, attestation_count, attester_count FROM schema ' +
          'WHERE registered = 0 AND chain_id = ? ORDER BY local_id',
      )
      .iterate(chainId)
    for (const row of rows) yield referenceLine(row)
  }
}

function* addressLines(connection: Connection): Generator<string> {
  const rows = connection
    .statement<[...AddressLineRow]>(
      'SELECT bytes, schemas_created, created, received_other + received_self, created + received_other FROM address ' +
        'WHERE schemas_created + created + received_other + received_self > 0 ORDER BY bytes',
    )
    .iterate()
  for (const row of rows) yield addressLine(row)
}
