import type { ChainId, LocalId } from '../../../model/compositeId.ts'
import { eventPosition, logsPerBlockMax, positionBlock, type Position } from '../../../model/position.ts'
import type { ProtocolName } from '../../../model/records.ts'
import { progressContradictions } from '../../audit/progressContradictions.ts'
import type { AuditedChain, Difference, IndexAudit } from '../../indexAudit.ts'
import type { StoredEvent } from '../../indexRestore.ts'
import { positionMask, rowIdsAbove } from '../../layout/rowId.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import { openConnection, type Connection } from '../connection.ts'
import { databasePlace } from '../databasePlace.ts'
import { checkLayout } from '../migratePostgres.ts'
import { findChainRow } from '../../writing/chainRow.ts'
import { readContracts, readRecentBlocks } from '../../writing/openChain.ts'
import { createStatementTexts } from '../statementTexts.ts'
import { translatePostgresError } from '../translatePostgresError.ts'
import { writerSettings } from '../writerSession.ts'
import { compareTables } from './compareTables.ts'
import { createShadowIndex, findStoredSchema, readStoredEvents, wholeChains } from './shadowIndex.ts'

/** Neither a walk of all rows nor the time between two of them is limited. */
export const auditSettings = { statement_timeout: 0, idle_in_transaction_session_timeout: 0, jit: 'off' }

interface Snapshot {
  readonly connection: Connection
  /** By which another session sees the same state. */
  readonly id: string
}

/**
 * Opens an audit of the database at `url`, as it is now. The stored tables are only read; what is worked out goes into temporary
 * tables, which take about as much room as the index itself.
 * @throws StoreUnavailableError, StoreIncompatibleError from its methods
 */
export function openPostgresAudit(url: string): IndexAudit {
  const place = databasePlace(url)
  const opening = openSnapshot(url, place)
  opening.catch(() => undefined)

  async function translated<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    try {
      return await work((await opening).connection)
    } catch (error) {
      throw translatePostgresError(place, error)
    }
  }

  async function* iterated<Item>(items: (snapshot: Snapshot) => AsyncIterable<Item>): AsyncGenerator<Item> {
    try {
      yield* items(await opening)
    } catch (error) {
      throw translatePostgresError(place, error)
    }
  }

  return {
    listChains: () =>
      translated(async (connection) => {
        const chains: AuditedChain[] = []
        for (const { chainId } of await wholeChains(connection)) {
          chains.push(await auditedChain(connection, chainId))
        }
        return chains
      }),
    findContradictions: () => iterated((snapshot) => findContradictions(url, snapshot)),
    readEvents: (chainId, fromBlock, toBlock) =>
      iterated(({ connection }) => readEvents(connection, chainId, fromBlock, toBlock)),
    sampleRecords: (chainId, count, random) =>
      translated((connection) => sampleRecords(connection, chainId, count, random)),
    listLocalIds: (chainId, protocol, what) =>
      iterated(({ connection }) => listLocalIds(connection, chainId, protocol, what)),
    close: async () => {
      const opened = await opening.catch(() => null)
      await opened?.connection.close()
    },
  }
}

async function openSnapshot(url: string, place: string): Promise<Snapshot> {
  const connection = await openConnection({
    url,
    applicationName: 'attestry verify',
    settings: auditSettings,
    statements: createStatementTexts(),
  })
  try {
    await checkLayout(connection, place)
    await connection.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const row = await connection.get<[string]>('SELECT pg_export_snapshot()')
    return { connection, id: row?.[0] ?? '' }
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function* findContradictions(url: string, { connection, id }: Snapshot): AsyncGenerator<Difference> {
  for (const range of await wholeChains(connection)) {
    const { progress } = await auditedChain(connection, range.chainId)
    yield* progressContradictions(range.chainId, progress, await newestEventBlock(connection, range))
  }
  const shadow = await openConnection({
    url,
    applicationName: 'attestry verify',
    settings: { ...writerSettings, ...auditSettings },
    statements: createStatementTexts(),
  })
  try {
    await shadow.exec(`BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '${id}'`)
    yield* compareTables(await createShadowIndex(shadow, connection, await findStoredSchema(connection)))
  } finally {
    await shadow.close()
  }
}

async function auditedChain(connection: Connection, chainId: ChainId): Promise<AuditedChain> {
  const row = await findChainRow(connection, chainId)
  const name = await connection.get<[string]>('SELECT name FROM chain WHERE chain_id = ?', chainId)
  return {
    identity: { chainId, name: name?.[0] ?? '', contracts: await readContracts(connection, chainId) },
    progress: {
      checkpoint:
        row === null || row.checkpointBlock === null
          ? null
          : { blockNumber: row.checkpointBlock, timestamp: row.checkpointTimestamp },
      rewindTo: row?.rewindTo ?? null,
      recentBlocks: await readRecentBlocks(connection, chainId),
    },
  }
}

async function newestEventBlock(connection: Connection, { chainId, ordinal }: EventRange): Promise<number> {
  const { first, last } = rowIdsAbove(ordinal, -1)
  const newestId = (column: 'id' | 'revoked_id', table: string) =>
    `(SELECT max(${column}) & ${positionMask} FROM ${table} WHERE ${column} BETWEEN ?::bigint AND ?::bigint)`
  const parts = [
    newestId('id', 'attestation'),
    newestId('revoked_id', 'attestation'),
    newestId('id', 'anchor'),
    newestId('id', 'undecodable'),
  ]
  const row = await connection.get<[number | null]>(
    `SELECT greatest(${parts.join(', ')}, (SELECT max(position) FROM schema WHERE registered AND chain_id = ?))`,
    ...parts.flatMap(() => [first, last]),
    chainId,
  )
  const position = row?.[0] ?? null
  return position === null ? -1 : positionBlock(position as Position)
}

async function* readEvents(
  connection: Connection,
  chainId: ChainId,
  fromBlock: number,
  toBlock: number,
): AsyncGenerator<StoredEvent> {
  const chain = await findChainRow(connection, chainId)
  if (chain === null) return
  const first = eventPosition(fromBlock, 0)
  const last = eventPosition(toBlock, logsPerBlockMax - 1)
  for await (const read of readStoredEvents(connection, { chainId, ordinal: chain.ordinal, first, last })) {
    if (read.kind === 'event') yield read.stored
  }
}

/** A reservoir: one walk, and memory for the sample alone. */
async function sampleRecords(
  connection: Connection,
  chainId: ChainId,
  count: number,
  random: () => number,
): Promise<readonly Position[]> {
  const chain = await findChainRow(connection, chainId)
  if (chain === null || count === 0) return []
  const { first, last } = rowIdsAbove(chain.ordinal, -1)
  const sample: Position[] = []
  let seen = 0
  const walks = [
    connection.batches<[Position]>(
      `SELECT id & ${positionMask} FROM attestation WHERE id BETWEEN ? AND ? ORDER BY id`,
      first,
      last,
    ),
    connection.batches<[Position]>(
      'SELECT position FROM schema WHERE registered AND chain_id = ? ORDER BY position',
      chainId,
    ),
  ]
  for (const walk of walks) {
    for await (const rows of walk) {
      for (const [position] of rows) {
        seen += 1
        const slot = sample.length < count ? sample.length : Math.floor(random() * seen)
        if (slot < count) sample[slot] = position
      }
    }
  }
  return sample.sort((a, b) => a - b)
}

async function* listLocalIds(
  connection: Connection,
  chainId: ChainId,
  protocol: ProtocolName,
  what: 'schema' | 'attestation',
): AsyncGenerator<{ readonly localId: LocalId; readonly position: Position }> {
  const chain = await findChainRow(connection, chainId)
  if (chain === null) return
  const { first, last } = rowIdsAbove(chain.ordinal, -1)
  const batches =
    what === 'schema'
      ? connection.batches<[string, Position]>(
          'SELECT local_id, position FROM schema WHERE registered AND chain_id = ? AND protocol = ? ORDER BY position',
          chainId,
          protocol,
        )
      : connection.batches<[string, Position]>(
          `SELECT local_id, id & ${positionMask} FROM attestation WHERE id BETWEEN ? AND ? AND protocol = ? ORDER BY id`,
          first,
          last,
          protocol,
        )
  for await (const rows of batches) {
    for (const [localId, position] of rows) yield { localId: `0x${localId}` as LocalId, position }
  }
}
