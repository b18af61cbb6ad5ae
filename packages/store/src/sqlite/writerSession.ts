import type { WriterOptions } from '../writing/openIndexWriter.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { createQueue, type BatchSize, type Work, type WriterSession } from '../port/writerSession.ts'
import { createChainClaims } from '../writing/chainClaims.ts'
import { boundLog, pageBytes } from './boundLog.ts'
import { createCommitGroup, type CommitGroupLimits } from './commitGroup.ts'
import { openConnection, type Connection } from './connection.ts'
import { checkDatabase } from './migrateSqlite.ts'
import { createSqliteTables, mergeSchemaText } from './tables.ts'
import { translatingErrors, withOwnErrors } from './translateSqliteError.ts'

export interface SqliteWriterOptions extends WriterOptions {
  /** Memory for pages of the database, in MiB; by default the cache grows with the database. */
  readonly cacheMib?: number
  /** How much of a backfill shares a commit. */
  readonly group?: Partial<CommitGroupLimits>
}

/**
 * Pages in the write-ahead log before they are moved into the database. At 4 KiB each they are 64 MiB at the head,
 * and 256 MiB during a backfill, which touches many pages again and again. A longer log costs readers, who look for
 * every page in the log first.
 */
const checkpointPages = { head: 16_384, backfill: 65_536 } as const

/** Bounds of the page cache in MiB, and the MiB of database for each MiB of cache between them. */
const cache = { minMib: 16, maxMib: 256, databaseMibPerMib: 16 } as const

/** A batch of at least this many events is taken for one of a backfill. */
const backfillEvents = 1_000

/** Schemas after which the text index is worth a merge of its pieces: every search looks through each of them. */
const schemasPerMerge = 1_000

/**
 * The session of a writer: the one writing connection to the database at `path`. The process that indexes into a file
 * holds the lock of the whole file, so that every claim succeeds, and takes the chain from a session before.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteSession(
  path: string,
  options: SqliteWriterOptions,
  onRollback: () => void,
): WriterSession {
  const connection = translatingErrors(path, () => openWritingConnection(path, options))
  const tables = createSqliteTables(connection)
  const enqueue = createQueue()
  const claims = createChainClaims(path)
  const log = boundLog(connection)
  log.setBound(checkpointPages.head)
  const hooks = { enqueue, onRollback, onCommit: () => log.afterCommit() }
  const group = createCommitGroup(connection, hooks, options.group)
  let pace: keyof typeof checkpointPages = 'head'
  let cacheMib: number = options.cacheMib ?? cache.minMib
  // A process before this one may have ended with a backfill or an import: at worst the first commit finds nothing to
  // merge.
  let unmergedSchemas: number = schemasPerMerge

  /**
   * Sets the connection to a backfill or to the head of a chain, and does at the head what a backfill leaves undone.
   */
  function keepPace({ events }: BatchSize): void {
    for (const { kind } of events) if (kind === 'schemaRegistered') unmergedSchemas += 1
    const wantedMib = options.cacheMib ?? cacheMibFor(connection)
    if (wantedMib > cacheMib) {
      connection.exec(`PRAGMA cache_size = -${wantedMib * 1024}`)
      cacheMib = wantedMib
    }
    const next = events.length >= backfillEvents ? 'backfill' : 'head'
    if (next === 'head' && unmergedSchemas >= schemasPerMerge) {
      mergeSchemaText(connection)
      unmergedSchemas = 0
    }
    if (next === pace) return
    log.setBound(checkpointPages[next])
    pace = next
  }

  /** Runs work in its turn; errors leave as ours. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return enqueue(() => withOwnErrors(path, work))
  }

  /** To be called in its turn. */
  async function claim(chainId: ChainId): Promise<boolean> {
    if (claims.has(chainId)) return true
    if (!(await claims.mayTake(tables, chainId))) return false
    await claims.take(chainId, (work) => group.alone(() => work(tables)))
    return true
  }

  /** Runs work of a claimed chain in its turn; a chain whose claim was not lost is claimed if it is not yet. */
  function inTurnOf<Result>(chainId: ChainId, work: () => Promise<Result>): Promise<Result> {
    return inTurn(async () => {
      claims.assertNotLost(chainId)
      await claim(chainId)
      return work()
    })
  }

  async function useClaim<Result>(chainId: ChainId, work: Work<Result>): Promise<Result> {
    await claims.use(tables, chainId)
    return work(tables)
  }

  return {
    claim: (chainId) => inTurn(() => claim(chainId)),
    // One process writes to a file.
    survey: (chainIds) =>
      Promise.resolve(
        chainIds.map((chainId) => ({ chainId, candidates: 1, isClaimed: claims.has(chainId) })),
      ),
    release: (chainId) =>
      inTurn(async () => {
        if (claims.has(chainId)) await group.alone(() => claims.giveUp(tables, chainId))
      }),
    read: (work) => inTurn(() => work(tables)),
    open: async (chainId, work) => {
      await inTurn(() => claim(chainId))
      return inTurnOf(chainId, async () => {
        const opened = await group.alone(() => useClaim(chainId, work))
        group.reopened(chainId)
        return opened
      })
    },
    write: (chainId, work, { batch, onKept }) =>
      inTurnOf(chainId, async () => {
        if (batch === null) {
          const result = await group.alone(() => {
            group.assertKept(chainId)
            return useClaim(chainId, work)
          })
          onKept()
          return result
        }
        group.assertKept(chainId)
        return group.together(chainId, batch, async () => {
          const result = await useClaim(chainId, work)
          keepPace(batch)
          onKept()
          return result
        })
      }),
    writeBesides: (chainId, work) =>
      inTurnOf(chainId, () => group.besides(chainId, () => useClaim(chainId, work))),
    close: () =>
      inTurn(async () => {
        try {
          await group.close()
          await group.alone(() => claims.giveUp(tables), false).catch(() => undefined)
        } finally {
          connection.close()
        }
      }),
  }
}

function openWritingConnection(path: string, options: SqliteWriterOptions): Connection {
  const cacheMib = options.cacheMib ?? cache.minMib
  return openConnection(path, { readOnly: false, cacheMib }, (connection) => {
    checkDatabase(connection, path, options.projections)
    connection.exec('PRAGMA synchronous = FULL')
  })
}

/**
 * The page cache that suits the database's present size, in MiB. A commit touches pages all over a large database; a
 * page that finds no room in the cache is written and read more than once.
 */
function cacheMibFor(connection: Connection): number {
  const [pages = 0] = connection.statement<[number]>('PRAGMA page_count').get() ?? []
  const databaseMib = (pages * pageBytes) / 2 ** 20
  return Math.min(cache.maxMib, Math.max(cache.minMib, Math.ceil(databaseMib / cache.databaseMibPerMib)))
}
