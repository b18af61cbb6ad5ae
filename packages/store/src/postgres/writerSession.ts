import { StoreClaimLostError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Projection } from '../port/projection.ts'
import { createQueue, type WriteOptions, type WriterSession } from '../port/writerSession.ts'
import { createChainClaims } from '../writing/chainClaims.ts'
import type { ChainSurvey } from '@attestry/core/index/indexWriter.ts'
import { addressesOf } from '../writing/applyBlocks.ts'
import { candidateLockKey, chainLockKey } from './advisoryLock.ts'
import { bringAddresses } from './bringAddresses.ts'
import { openConnection, transact, type Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { describePooler, findTransactionPooler } from './findPooler.ts'
import { checkDatabase } from './migratePostgres.ts'
import { createStatementTexts } from './statementTexts.ts'
import { createPostgresTables } from './tables.ts'
import { isLostRace, withOwnErrors } from './translatePostgresError.ts'

/**
 * Settings of the session. Everything that a writer does starts from rows it knows and finds others by their keys:
 * plans are held to that, since statistics of a table that grows from nothing are late. A client whose machine is gone
 * is given up after seconds, so that another one may take its claims.
 */
export const writerSettings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  plan_cache_mode: 'force_custom_plan',
  max_parallel_workers_per_gather: 0,
  tcp_keepalives_idle: 3,
  tcp_keepalives_interval: 1,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 6_000,
}

/**
 * Statements that let the planner of a transaction with the settings of a writer read and join whole tables. Groups are
 * made by sorting: by hashes, PostgreSQL 18.4 had not counted the rows of 454,392 addresses after five minutes, with
 * statistics of the table and without; sorted, it takes three seconds.
 */
export const wholeTableSettings = [
  'enable_seqscan = on',
  'enable_hashjoin = on',
  'enable_mergejoin = on',
  'enable_hashagg = off',
  "work_mem = '64MB'",
  "maintenance_work_mem = '256MB'",
]
  .map((setting) => `SET LOCAL ${setting}`)
  .join('; ')

/**
 * The session of a writer: one connection to the server. Invariants:
 * 1. Every transaction that writes to a chain finds the token of its claim in the database (writing/chainClaims.ts).
 *    Nothing else is trusted: behind a pooler or a proxy two sessions may hold the advisory lock of a chain at once.
 * 2. Of several processes one takes the claim and the others wait, by an advisory lock of the session: the server gives
 *    it up with the session, however that ends.
 * 3. A new connection that replaces a lost one has no claims. A transaction that writes to a chain of the lost one
 *    fails until the chain is claimed anew, since another process may have written to it meanwhile.
 */
export function createWriterSession(
  url: string,
  onRollback: () => void,
  projections: readonly Projection[] = [],
): WriterSession {
  const place = databasePlace(url)
  const statements = createStatementTexts()
  const claims = createChainClaims(place)
  const enqueue = createQueue()
  /** The chains whose lock of candidates the connection shares. */
  const candidateOf = new Set<ChainId>()
  let carefulBatches = 0
  let connection: Connection | null = null
  let closed = false
  /** Whether the last connection was ended because its statements came to other sessions. */
  let wasForeign = false

  async function connect(): Promise<Connection> {
    if (connection?.isOpen() === true) return connection
    if (closed) {
      throw new StoreUnavailableError(`the database ${place} is closed`, { facts: { database: place } })
    }
    claims.loseAll()
    candidateOf.clear()
    // A pooler that changed its mode may change it back: the indexer waits for that.
    if (wasForeign && (await findTransactionPooler(url))) {
      throw new StoreUnavailableError(describePooler(place), { retryable: true, facts: { database: place } })
    }
    const options = {
      url,
      applicationName: 'attestry index',
      settings: writerSettings,
      statements,
      onForeignSession: () => {
        wasForeign = true
      },
    }
    connection = await openConnection(options, async (opened) => {
      // The session may have been that of other clients meanwhile, who left their statements.
      if (wasForeign) await opened.exec('DEALLOCATE ALL')
      await checkDatabase(opened, place, projections)
    })
    wasForeign = false
    return connection
  }

  /** Runs work on the connection in its turn; errors leave as ours. */
  function inTurn<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return enqueue(() => withOwnErrors(place, async () => work(await connect())))
  }

  async function take(open: Connection, chainId: ChainId): Promise<boolean> {
    if (claims.has(chainId)) return true
    const tables = createPostgresTables(open)
    if (!(await claims.mayTake(tables, chainId))) return false
    const row = await open.get<[boolean]>('SELECT pg_try_advisory_lock(?::bigint)', chainLockKey(chainId))
    if (row?.[0] !== true) return false
    await claims.take(chainId, (work) => work(tables))
    // Others may have written to the chain before.
    onRollback()
    return true
  }

  const claim = (chainId: ChainId) => inTurn((open) => take(open, chainId))

  /** Claims a chain that is to be written to, or makes sure that the claim was neither lost nor given up. */
  async function keepClaim(chainId: ChainId): Promise<void> {
    const isHeld = await inTurn((open) => {
      claims.assertNotLost(chainId)
      return take(open, chainId)
    })
    if (isHeld) return
    throw new StoreUnavailableError(`another process indexes chain ${chainId} into ${place}`, {
      facts: { chainId, database: place },
      retryable: true,
    })
  }

  /** Runs a transaction that writes to a claimed chain; the connection may be another one than that of the claim. */
  async function writeClaimed<Result>(
    chainId: ChainId,
    work: (open: Connection) => Promise<Result>,
    { batch = null, onKept }: Partial<WriteOptions> = {},
  ): Promise<Result> {
    await keepClaim(chainId)
    return inTurn(async (open) => {
      const use = async <Used>(then: () => Promise<Used>) =>
        transact(open, async () => {
          await claims.use(createPostgresTables(open), chainId)
          return then()
        })
      for (let races = 0; ; races++) {
        try {
          if (batch !== null && carefulBatches > 0) {
            carefulBatches -= 1
            await use(() => besides(open, () => bringAddresses(open, chainId, addressesOf(batch.events))))
          }
          const result = await use(() => work(open))
          onKept?.()
          return result
        } catch (error) {
          if (races < racesMax && open.isOpen() && isLostRace(error)) {
            carefulBatches = carefulBatchesAfterRace
            continue
          }
          if (error instanceof StoreClaimLostError) await unlock(open, chainId).catch(() => undefined)
          throw error
        }
      }
    })
  }

  return {
    claim,
    survey: (chainIds) =>
      inTurn(async (open) => {
        for (const chainId of chainIds) {
          if (candidateOf.has(chainId)) continue
          await open.run('SELECT pg_try_advisory_lock_shared(?::bigint)', candidateLockKey(chainId))
          candidateOf.add(chainId)
        }
        return await surveyLocks(open, chainIds)
      }),
    release: (chainId) =>
      inTurn(async (open) => {
        if (!claims.has(chainId)) return
        await claims.giveUp(createPostgresTables(open), chainId)
        await unlock(open, chainId)
      }),
    read: (work) => inTurn((open) => transact(open, () => work(createPostgresTables(open)))),
    open: async (chainId, work) => {
      await claim(chainId)
      return writeClaimed(chainId, (open) => work(createPostgresTables(open)))
    },
    write: (chainId, work, options) =>
      writeClaimed(chainId, (open) => work(createPostgresTables(open)), options),
    writeBesides: (chainId, work) =>
      writeClaimed(chainId, (open) => besides(open, () => work(createPostgresTables(open)))),
    close: async () => {
      await enqueue(async () => {
        if (connection?.isOpen() === true) await claims.giveUp(createPostgresTables(connection))
      }).catch(() => undefined)
      closed = true
      await connection?.close().catch(() => undefined)
      connection = null
    },
  }
}

/** Reads the locks of this database: the server ends them with their sessions, however those end. */
async function surveyLocks(open: Connection, chainIds: readonly ChainId[]): Promise<readonly ChainSurvey[]> {
  const rows = await open.all<[string, number]>(
    'SELECT ((classid::bigint << 32) | objid::bigint)::text, count(*) FROM pg_locks ' +
      "WHERE locktype = 'advisory' AND objsubid = 1 AND granted " +
      'AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY 1',
  )
  const holders = new Map(rows)
  return chainIds.map((chainId) => ({
    chainId,
    candidates: Math.max(1, holders.get(String(candidateLockKey(chainId))) ?? 0),
    isClaimed: holders.has(String(chainLockKey(chainId))),
  }))
}

async function unlock(connection: Connection, chainId: ChainId): Promise<void> {
  await connection.run('SELECT pg_advisory_unlock(?::bigint)', chainLockKey(chainId))
}

/** How often a transaction is tried anew that lost a race with one of another chain. */
const racesMax = 5

/** Batches whose addresses are brought before them, once a batch was applied in vain. */
const carefulBatchesAfterRace = 100

/** Runs work of the running transaction whose commit does not wait for the disk. */
async function besides<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  await connection.exec('SET LOCAL synchronous_commit = off')
  return work()
}
