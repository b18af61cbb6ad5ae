import { setImmediate as nextTurn } from 'node:timers/promises'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import type { ExportOptions } from '@attestry/core/index/indexReader.ts'
import { positionMask } from '../layout/rowId.ts'
import { namedRows } from '../port/namedRows.ts'
import type { Reads } from '../port/reads.ts'
import { eventLines } from './eventLines.ts'
import { createSeal, exportFormat, exportVersion } from './sealExport.ts'

/**
 * Yields the index as lines of NDJSON, in an order that depends only on its content:
 * 1. a header,
 * 2. each chain with its remembered blocks, then its events,
 * 3. schemas that are referred to but not registered,
 * 4. addresses,
 * 5. the seal.
 *
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
  const known = chains.map(([chainId, , checkpointBlock]) => ({ chainId: String(chainId), checkpointBlock }))
  const made = times && program !== undefined ? { program } : {}
  yield [JSON.stringify({ format: exportFormat, version: exportVersion, ...made, chains: known })]
  for (const [chainId, ordinal] of chains) {
    yield [await chainLine(reads, chainId, times)]
    if (times) yield* blockLines(reads, chainId)
    const range = { chainId, ordinal, first: 0, last: Number(positionMask) }
    for await (const lines of eventLines(reads, range, times ? 'all' : 'timeless'))
      yield lines.map(({ line }) => line)
  }
  // One chain at a time, in the order of an index: of all chains at once, SQLite would sort the rows in memory.
  for (const [chainId] of chains) yield* referenceLines(reads, chainId)
  yield* addressLines(reads)
}

async function chainLine(reads: Reads, chainId: number, times: boolean): Promise<string> {
  const row = await reads.get<
    [
      name: string,
      contractsJson: string,
      schemaCount: number,
      attestationCount: number,
      revocationCount: number,
      undecodableCount: number,
      blockNumber: number | null,
      timestamp: number | null,
      hash: string | null,
      rewindTo: number | null,
    ]
  >(
    'SELECT name, contracts_json, schema_count, attestation_count, revocation_count, undecodable_count, ' +
      'checkpoint_block, checkpoint_timestamp, ' +
      '(SELECT hash FROM recent_block r WHERE r.chain_id = chain.chain_id AND number = checkpoint_block), rewind_to ' +
      'FROM chain WHERE chain_id = ?',
    chainId,
  )
  if (row === undefined) throw new Error(`chain ${chainId} is missing from its own snapshot`)
  const anchors = await reads.all<[string, number]>(
    'SELECT kind, count FROM anchor_count WHERE chain_id = ? ORDER BY kind',
    chainId,
  )
  const [name, contractsJson, schemaCount, attestationCount, revocationCount, undecodableCount] = row
  const [, , , , , , blockNumber, timestamp, hash, rewindTo] = row
  const checkpoint = blockNumber === null ? null : { blockNumber, timestamp, hash }
  return JSON.stringify({
    type: 'chain',
    chainId: String(chainId),
    name,
    // Written as such by the writer.
    contracts: JSON.parse(contractsJson) as IndexedContract[],
    ...(times ? { checkpoint, rewindTo } : {}),
    schemaCount,
    attestationCount,
    revocationCount,
    undecodableCount,
    anchorCounts: Object.fromEntries(anchors),
  })
}

async function* blockLines(reads: Reads, chainId: number): Lines {
  const members = {
    number: ['int53', 'number'],
    hash: ['text', 'hash'],
    parentHash: ['text', 'parent_hash'],
    timestamp: ['int53', 'timestamp'],
    logsSeal: ['text null', 'logs_seal'],
  } as const
  const from = 'FROM recent_block WHERE chain_id = ? ORDER BY number'
  for await (const rows of namedRows(reads, members, from, chainId)) {
    yield rows.map(({ logsSeal, ...row }) => {
      const sealed = logsSeal === null ? {} : { logsSeal }
      return JSON.stringify({ type: 'block', chainId: String(chainId), ...row, ...sealed })
    })
  }
}

async function* referenceLines(reads: Reads, chainId: number): Lines {
  const { flag, hidden } = reads.dialect
  const members = {
    schemaId: ['text', "concat('0x', local_id)"],
    attestationCount: ['int53', 'attestation_count'],
    attesterCount: ['int53', 'attester_count'],
  } as const
  const from = `FROM schema WHERE ${flag('registered', false)} AND ${hidden('chain_id', 'integer')} = ? ORDER BY local_id, chain_id, protocol`
  for await (const rows of namedRows(reads, members, from, chainId)) {
    yield rows.map((row) => JSON.stringify({ type: 'unregisteredSchema', chainId: String(chainId), ...row }))
  }
}

async function* addressLines(reads: Reads): Lines {
  const members = {
    address: ['text', `concat('0x', ${reads.dialect.hex('bytes')})`],
    schemaCreated: ['int53', 'schemas_created'],
    attestationCreated: ['int53', 'created'],
    attestationReceived: ['int53', 'received_other + received_self'],
    totalAttestations: ['int53', 'created + received_other'],
  } as const
  const from =
    'FROM address WHERE schemas_created + created + received_other + received_self > 0 ORDER BY bytes'
  for await (const rows of namedRows(reads, members, from)) {
    yield rows.map((row) => JSON.stringify({ type: 'address', ...row }))
  }
}
