import { StoreUnavailableError } from '../../errors/storeErrors.ts'
import type { ChainId } from '../../model/compositeId.ts'
import { advisoryLockKey } from './advisoryLock.ts'
import { openConnection, type Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { checkLayout } from './migratePostgres.ts'
import { createStatementTexts } from './statementTexts.ts'
import { translatePostgresError } from './translatePostgresError.ts'

/**
 * The one connection of a writer. Invariants:
 * 1. A chain is claimed by an advisory lock of the very session that writes: the server gives it up with the session, however that
 *    ends, so that whoever has the claim is the only one who can write to the chain.
 * 2. A session that was lost is followed by a new one without claims: what would write to a chain that it had fails until that is
 *    claimed anew, since somebody else may have written to it meanwhile.
 */
export interface WriterSession {
  /** Runs work in a transaction of its own, after whatever was asked for before; `onCommit` is called once it is committed. */
  transact<Result>(work: (connection: Connection) => Promise<Result>, onCommit?: () => void): Promise<Result>
  /** Claims a chain for this session; false where another session has it. */
  claim(chainId: ChainId): Promise<boolean>
  /**
   * Claims a chain that is to be written to, or makes sure that it is still claimed.
   * @throws StoreUnavailableError where another session has the claim, or the session that had it is gone.
   */
  keepClaim(chainId: ChainId): Promise<void>
  release(chainId: ChainId): Promise<void>
  /**
   * To be called within a transaction.
   * @throws StoreUnavailableError where the session that claimed the chain is gone.
   */
  assertClaimed(chainId: ChainId): void
  close(): Promise<void>
}

/**
 * Settings of the session. Everything that a writer does starts from rows it knows and finds others by their keys: plans are
 * held to that, since statistics of a table that grows from nothing are late. A client whose machine is gone is given up after
 * seconds, so that another one may take its claims.
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

export function createWriterSession(url: string): WriterSession {
  const place = databasePlace(url)
  const statements = createStatementTexts()
  const claimed = new Set<ChainId>()
  /** Chains that a session had which was lost. */
  const lost = new Set<ChainId>()
  let connection: Connection | null = null
  let queue: Promise<unknown> = Promise.resolve()
  let closed = false

  async function connect(): Promise<Connection> {
    if (connection?.isOpen() === true) return connection
    if (closed)
      throw new StoreUnavailableError(`the database ${place} is closed`, { facts: { database: place } })
    for (const chainId of claimed) lost.add(chainId)
    claimed.clear()
    const opened = await openConnection({
      url,
      applicationName: 'attestry index',
      settings: writerSettings,
      statements,
    })
    try {
      await checkLayout(opened, place)
      await keepCommits(opened)
    } catch (error) {
      await opened.close().catch(() => undefined)
      throw error
    }
    connection = opened
    return opened
  }

  /** Runs work on the connection after whatever was asked for before; errors leave as ours. */
  function inTurn<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const result = queue.then(async () => {
      try {
        return await work(await connect())
      } catch (error) {
        throw translatePostgresError(place, error)
      }
    })
    queue = result.catch(() => undefined)
    return result
  }

  function assertNotLost(chainId: ChainId): void {
    if (lost.has(chainId)) throw lostError(chainId)
  }

  function lostError(chainId: ChainId): StoreUnavailableError {
    return new StoreUnavailableError(
      `the claim on chain ${chainId} was lost with the connection to ${place}`,
      { facts: { chainId, database: place }, retryable: true },
    )
  }

  const claim = (chainId: ChainId) =>
    inTurn(async (open) => {
      if (claimed.has(chainId)) return true
      const row = await open.get<[boolean]>('SELECT pg_try_advisory_lock(?::bigint)', lockKey(chainId))
      if (row?.[0] !== true) return false
      claimed.add(chainId)
      lost.delete(chainId)
      return true
    })

  return {
    transact: (work, onCommit) =>
      inTurn(async (open) => {
        const result = await transact(open, work)
        onCommit?.()
        return result
      }),
    claim,
    keepClaim: async (chainId) => {
      await inTurn(() => Promise.resolve(assertNotLost(chainId)))
      if (await claim(chainId)) return
      throw new StoreUnavailableError(`another process indexes chain ${chainId} into ${place}`, {
        facts: { chainId, database: place },
        retryable: true,
      })
    },
    release: (chainId) =>
      inTurn(async (open) => {
        if (claimed.delete(chainId)) await open.run('SELECT pg_advisory_unlock(?::bigint)', lockKey(chainId))
      }),
    assertClaimed: (chainId) => {
      if (!claimed.has(chainId)) throw lostError(chainId)
    },
    close: async () => {
      await queue
      closed = true
      await connection?.close().catch(() => undefined)
      connection = null
    },
  }
}

async function transact<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  await connection.exec('BEGIN')
  try {
    const result = await work(connection)
    await connection.exec('COMMIT')
    return result
  } catch (error) {
    if (connection.isOpen()) await connection.exec('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** A commit that was answered must outlive a crash of the server, whatever its settings are for others. */
async function keepCommits(connection: Connection): Promise<void> {
  const row = await connection.get<[string]>("SELECT current_setting('synchronous_commit')")
  if (row?.[0] === 'off') await connection.exec('SET synchronous_commit = on')
}

function lockKey(chainId: ChainId): bigint {
  return BigInt(advisoryLockKey(`chain ${chainId}`))
}
