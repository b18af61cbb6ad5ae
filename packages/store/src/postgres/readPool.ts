import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { Connection } from './connection.ts'
import { isForeignSession } from './translatePostgresError.ts'

/** Connections that reads take turns on. One that is lost is replaced with the next read that needs it. */
export interface ReadPool {
  /**
   * Runs a read on a connection that no other read uses meanwhile. If the connection is lost during the read, the read
   * is run once more on another one: a restarted server leaves dead connections that nobody has noticed yet.
   * @throws StoreUnavailableError when the pool is closed, or no connection becomes free in time.
   */
  use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  /** Ends all connections; what is being read is given up. */
  close(): Promise<void>
}

export interface ReadPoolOptions {
  readonly open: () => Promise<Connection>
  readonly connectionsMax: number
  /** How long a read waits for a connection. */
  readonly waitMaxMs: number
}

interface Waiting {
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

export function createReadPool({ open, connectionsMax, waitMaxMs }: ReadPoolOptions): ReadPool {
  const idle: Connection[] = []
  /** Each connection with the generation in which its opening began. */
  const all = new Map<Connection, number>()
  const waiting: Waiting[] = []
  /** Connections that are there or are being opened. */
  let count = 0
  let isClosed = false
  /** Grows when a pooler begins to give sessions by transaction. Connections from before have no session of their own. */
  let generation = 0

  async function openOne(): Promise<Connection> {
    count += 1
    try {
      let begun = generation
      let connection = await open()
      while (begun !== generation && !isClosed) {
        await connection.close()
        begun = generation
        connection = await open()
      }
      if (isClosed) {
        await connection.close()
        throw closedError()
      }
      all.set(connection, begun)
      connection.onEnd(() => forget(connection))
      return connection
    } catch (error) {
      count -= 1
      throw error
    }
  }

  function forget(connection: Connection): void {
    if (!all.delete(connection)) return
    count -= 1
    const index = idle.indexOf(connection)
    if (index >= 0) idle.splice(index, 1)
    serveNext()
  }

  function discard(connection: Connection): void {
    forget(connection)
    connection.close().catch(() => undefined)
  }

  /** Gives the read that has waited longest a connection, if one may be opened for it. */
  function serveNext(): void {
    if (isClosed || count >= connectionsMax) return
    const next = waiting.shift()
    if (next === undefined) return
    clearTimeout(next.timer)
    openOne().then(next.resolve, (error: unknown) => {
      next.reject(error)
      // The others would fare no better, one after the other.
      for (const each of waiting.splice(0)) {
        clearTimeout(each.timer)
        each.reject(error)
      }
    })
  }

  function acquire(): Promise<Connection> {
    if (isClosed) return Promise.reject(closedError())
    const connection = idle.pop()
    if (connection !== undefined) return Promise.resolve(connection)
    if (count < connectionsMax) return openOne()
    return new Promise((resolve, reject) => {
      const entry: Waiting = { resolve, reject, timer: setTimeout(giveUp, waitMaxMs) }
      waiting.push(entry)
      function giveUp(): void {
        waiting.splice(waiting.indexOf(entry), 1)
        const message = 'every connection to the database is busy'
        reject(new StoreUnavailableError(message, { retryable: true, facts: { connectionsMax } }))
      }
    })
  }

  function release(connection: Connection): void {
    if (!connection.isOpen()) return forget(connection)
    if (all.get(connection) !== generation) return discard(connection)
    const next = waiting.shift()
    if (next === undefined) {
      idle.push(connection)
      return
    }
    clearTimeout(next.timer)
    next.resolve(connection)
  }

  async function attempt<Result>(
    work: (connection: Connection) => Promise<Result>,
    attemptsLeft: number,
  ): Promise<Result> {
    const connection = await acquire()
    const begun = all.get(connection)
    try {
      return await work(connection)
    } catch (error) {
      if (isForeignSession(error) && begun === generation) {
        generation += 1
        for (const each of idle.splice(0)) discard(each)
      }
      if (connection.isOpen() || isClosed || attemptsLeft === 0) throw error
    } finally {
      release(connection)
    }
    return await attempt(work, attemptsLeft - 1)
  }

  return {
    use: (work) => attempt(work, 1),
    close: async () => {
      isClosed = true
      for (const { reject, timer } of waiting.splice(0)) {
        clearTimeout(timer)
        reject(closedError())
      }
      await Promise.all(Array.from(all.keys(), (connection) => connection.close()))
    },
  }
}

function closedError(): StoreUnavailableError {
  return new StoreUnavailableError('the connections to the database are closed')
}
