import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExportOptions } from '../indexReader.ts'
import type { IndexedContract } from '../indexWriter.ts'
import { exportFormat, exportVersion, sealExport } from '../transfer/sealExport.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import { positionMask } from '../layout/rowId.ts'
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
  yield headerLine(connection, times && program !== undefined ? { program } : {})
  const chains = connection
    .statement<[number, number]>('SELECT chain_id, ordinal FROM chain ORDER BY chain_id')
    .all()
  for (const [chainId, ordinal] of chains) {
    yield chainLine(connection, chainId, times)
    if (times) yield* blockLines(connection, chainId)
    const range = { chainId, ordinal, first: 0, last: Number(positionMask) }
    for (const { line } of eventLines(connection, range, times)) yield line
  }
  yield* referenceLines(connection)
  yield* addressLines(connection)
}

function headerLine(connection: Connection, program: { readonly program?: string }): string {
  const chains = connection
    .statement<[number, number | null]>('SELECT chain_id, checkpoint_block FROM chain ORDER BY chain_id')
    .all()
    .map(([chainId, checkpointBlock]) => ({ chainId: String(chainId), checkpointBlock }))
  return JSON.stringify({ format: exportFormat, version: exportVersion, ...program, chains })
}

function chainLine(connection: Connection, chainId: number, times: boolean): string {
  const row = connection
    .statement<
      [
        string,
        string,
        number,
        number,
        number,
        number,
        number | null,
        number | null,
        number | null,
        string | null,
      ]
    >(
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
  const progress = {
    checkpoint: row[6] === null ? null : { blockNumber: row[6], timestamp: row[7], hash: row[9] },
    rewindTo: row[8],
  }
  return JSON.stringify({
    type: 'chain',
    chainId: String(chainId),
    name: row[0],
    contracts: JSON.parse(row[1]) as IndexedContract[],
    ...(times ? progress : {}),
    schemaCount: row[2],
    attestationCount: row[3],
    revocationCount: row[4],
    undecodableCount: row[5],
    anchorCounts: Object.fromEntries(anchors),
  })
}

function* blockLines(connection: Connection, chainId: number): Generator<string> {
  const rows = connection
    .statement<[number, string, string, number]>(
      'SELECT number, hash, parent_hash, timestamp FROM recent_block WHERE chain_id = ? ORDER BY number',
    )
    .iterate(chainId)
  for (const [number, hash, parentHash, timestamp] of rows) {
    yield JSON.stringify({ type: 'block', chainId: String(chainId), number, hash, parentHash, timestamp })
  }
}

function* referenceLines(connection: Connection): Generator<string> {
  const rows = connection
    .statement<[number, string, number, number]>(
      'SELECT chain_id, local_id, attestation_count, attester_count FROM schema WHERE registered = 0 ' +
        'ORDER BY chain_id, local_id',
    )
    .iterate()
  for (const [chainId, localId, attestationCount, attesterCount] of rows) {
    yield JSON.stringify({
      type: 'unregisteredSchema',
      chainId: String(chainId),
      schemaId: `0x${localId}`,
      attestationCount,
      attesterCount,
    })
  }
}

function* addressLines(connection: Connection): Generator<string> {
  const rows = connection
    .statement<[Uint8Array, number, number, number, number]>(
      'SELECT bytes, schemas_created, created, received_other + received_self, created + received_other FROM address ' +
        'WHERE schemas_created + created + received_other + received_self > 0 ORDER BY bytes',
    )
    .iterate()
  for (const [bytes, schemaCreated, attestationCreated, attestationReceived, totalAttestations] of rows) {
    yield JSON.stringify({
      type: 'address',
      address: addressOfBytes(bytes),
      schemaCreated,
      attestationCreated,
      attestationReceived,
      totalAttestations,
    })
  }
}
