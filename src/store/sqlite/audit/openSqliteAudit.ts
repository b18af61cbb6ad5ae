import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BlockRef } from '../../../model/chainState.ts'
import type { ChainId, LocalId } from '../../../model/compositeId.ts'
import { eventPosition, logsPerBlockMax, type Position } from '../../../model/position.ts'
import type { ProtocolName } from '../../../model/records.ts'
import type { AuditedChain, Difference, IndexAudit } from '../../indexAudit.ts'
import type { StoredEvent } from '../../indexRestore.ts'
import { findChainRow } from '../chainRow.ts'
import { openConnection, type Connection } from '../connection.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import { checkLayout } from '../migrateSqlite.ts'
import { readContracts, readRecentBlocks } from '../openChain.ts'
import { translateSqliteError, translatingErrors } from '../translateSqliteError.ts'
import { positionMask } from '../../layout/rowId.ts'
import { rowDifference } from '../../audit/differences.ts'
import { progressContradictions } from '../../audit/progressContradictions.ts'
import { findCountContradictions } from './findCountContradictions.ts'
import { findPostingContradictions } from './findPostingContradictions.ts'
import { newestEventBlock } from './newestEventBlock.ts'
import { contradictionsOfEvent, readStoredEvents } from './findRecordContradictions.ts'
import { findSchemaContradictions } from './findSchemaContradictions.ts'
import { findTextContradictions } from './findTextContradictions.ts'
import { wholeChains } from './rebuildDerived.ts'

/** Rows looked at between two turns of the event loop. */
const rowsPerTurn = 500

/**
 * Opens an audit of the database at `path`, as it is now. The file is opened for reading only; what is worked out goes into
 * temporary tables. While it is open the write-ahead log grows with what others write.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteAudit(path: string): IndexAudit {
  const connection = translatingErrors(path, () => openSnapshot(path))

  async function* translated<Item>(items: () => Iterable<Item>): AsyncGenerator<Item> {
    try {
      let count = 0
      for (const item of items()) {
        yield item
        count += 1
        if (count % rowsPerTurn === 0) await nextTurn()
      }
    } catch (error) {
      throw translateSqliteError(path, error)
    }
  }

  function settle<Result>(work: () => Result): Promise<Result> {
    try {
      return Promise.resolve(translatingErrors(path, work))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  return {
    listChains: () =>
      settle(() => wholeChains(connection).map(({ chainId }) => auditedChain(connection, chainId))),
    findContradictions: () => translated(() => findContradictions(connection)),
    readEvents: (chainId, fromBlock, toBlock) =>
      translated(() => readEvents(connection, chainId, fromBlock, toBlock)),
    sampleRecords: (chainId, count, random) =>
      settle(() => sampleRecords(connection, chainId, count, random)),
    listLocalIds: (chainId, protocol, what) =>
      translated(() => listLocalIds(connection, chainId, protocol, what)),
    close: () => settle(() => connection.close()),
  }
}

function openSnapshot(path: string): Connection {
  const connection = openConnection(path, { readOnly: true, cacheMib: 64 })
  try {
    checkLayout(connection, path)
    connection.exec('PRAGMA query_only = OFF; PRAGMA temp_store = FILE; BEGIN')
    // The snapshot is taken at the first read.
    connection.statement('SELECT count(*) FROM chain').get()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Cheap and telling checks come first: where the file itself is damaged, all others follow from that. */
function* findContradictions(connection: Connection): Generator<Difference> {
  yield* findFileDamage(connection)
  for (const range of wholeChains(connection)) {
    const { progress } = auditedChain(connection, range.chainId)
    yield* progressContradictions(range.chainId, progress, newestEventBlock(connection, range))
    yield* findSchemaContradictions(connection, range)
    for (const read of readStoredEvents(connection, range)) {
      yield* contradictionsOfEvent(connection, range, read)
    }
  }
  yield* findPostingContradictions(connection)
  yield* findTextContradictions(connection)
  yield* findCountContradictions(connection)
}

function* findFileDamage(connection: Connection): Generator<Difference> {
  for (const [message] of connection.statement<[string]>('PRAGMA integrity_check').all()) {
    if (message === 'ok') continue
    yield rowDifference('file', 'integrity_check', { stored: message, expected: 'ok' }, 'rebuild')
  }
  for (const [table, rowid] of connection
    .statement<[string, number | null]>('PRAGMA foreign_key_check')
    .all()) {
    const values = { stored: `row ${rowid} of ${table}`, expected: null }
    yield rowDifference('file', 'foreign_key_check', values, 'none')
  }
}

function auditedChain(connection: Connection, chainId: ChainId): AuditedChain {
  const row = findChainRow(connection, chainId)
  const name = connection.statement<[string]>('SELECT name FROM chain WHERE chain_id = ?').get(chainId)?.[0]
  return {
    identity: { chainId, name: name ?? '', contracts: readContracts(connection, chainId) },
    progress: {
      checkpoint:
        row === null || row.checkpointBlock === null
          ? null
          : { blockNumber: row.checkpointBlock, timestamp: row.checkpointTimestamp },
      rewindTo: row?.rewindTo ?? null,
      recentBlocks: readRecentBlocks(connection, chainId) satisfies BlockRef[],
    },
  }
}

function* readEvents(
  connection: Connection,
  chainId: ChainId,
  fromBlock: number,
  toBlock: number,
): Generator<StoredEvent> {
  const chain = findChainRow(connection, chainId)
  if (chain === null) return
  const range: EventRange = {
    chainId,
    ordinal: chain.ordinal,
    first: eventPosition(fromBlock, 0),
    last: eventPosition(toBlock, logsPerBlockMax - 1),
  }
  for (const read of readStoredEvents(connection, range)) if (read.kind === 'event') yield read.stored
}

/** A reservoir: one walk, and memory for the sample alone. */
function sampleRecords(
  connection: Connection,
  chainId: ChainId,
  count: number,
  random: () => number,
): readonly Position[] {
  const chain = findChainRow(connection, chainId)
  if (chain === null || count === 0) return []
  const sample: Position[] = []
  let seen = 0
  const take = (position: Position) => {
    seen += 1
    if (sample.length < count) sample.push(position)
    else {
      const slot = Math.floor(random() * seen)
      if (slot < count) sample[slot] = position
    }
  }
  const walks = [
    // The index by time is a tenth of the table's size, and its order as good as any.
    `SELECT id & ${positionMask} FROM attestation INDEXED BY attestation_by_chain WHERE chain_id = ?`,
    'SELECT position FROM schema WHERE registered = 1 AND chain_id = ? ORDER BY position',
  ]
  for (const walk of walks) {
    for (const [position] of connection.statement<[Position]>(walk).iterate(chainId)) take(position)
  }
  return sample.sort((a, b) => a - b)
}

function* listLocalIds(
  connection: Connection,
  chainId: ChainId,
  protocol: ProtocolName,
  what: 'schema' | 'attestation',
): Generator<{ readonly localId: LocalId; readonly position: Position }> {
  const chain = findChainRow(connection, chainId)
  if (chain === null) return
  const base = BigInt(chain.ordinal) << 53n
  const rows =
    what === 'schema'
      ? connection
          .statement<[string, Position]>(
            'SELECT local_id, position FROM schema WHERE registered = 1 AND chain_id = ? AND protocol = ? ORDER BY position',
          )
          .iterate(chainId, protocol)
      : connection
          .statement<[string, Position]>(
            `SELECT local_id, id & ${positionMask} FROM attestation WHERE id BETWEEN ? AND ? AND protocol = ? ORDER BY id`,
          )
          .iterate(base, base + 2n ** 53n - 1n, protocol)
  for (const [localId, position] of rows) yield { localId: `0x${localId}` as LocalId, position }
}
