import type { Connection } from './connection.ts'
import { epochStep } from '@attestry/core/index/indexReader.ts'

/** The version of the index, asked for on a connection of its own. */
export interface VersionWatch {
  /**
   * The version for `IndexReader.indexVersion`, never of a moment before the call. Callers that come while an answer is
   * under way share the next one: a thousand requests at once cost two statements.
   */
  current(): Promise<number>
  close(): Promise<void>
}

const epochsMax = 1_024

/**
 * Each connection begins an epoch: a replica that was promoted may lack the last commits of the lost primary, and then
 * gives their versions to other commits. Nothing that was read in one epoch is used in another.
 *
 * @param onEpoch called at the beginning of each epoch.
 */
export function watchVersion(open: () => Promise<Connection>, onEpoch: () => void): VersionWatch {
  let connection: Promise<Connection> | null = null
  let epoch = 0
  let running: Promise<number> | null = null
  let next: Promise<number> | null = null

  async function connect(): Promise<Connection> {
    const opened = await open()
    epoch = (epoch + 1) % epochsMax
    onEpoch()
    return opened
  }

  async function connected(): Promise<Connection> {
    const known = await connection?.catch(() => null)
    if (known?.isOpen() === true) return known
    connection = connect()
    return await connection
  }

  async function read(): Promise<number> {
    for (let attempt = 0; ; attempt++) {
      const used = await connected()
      try {
        const row = await used.get<[number]>('SELECT version FROM index_state')
        if (row === undefined) throw new Error('the database has no row of its state')
        return epoch * epochStep + row[0]
      } catch (error) {
        // A connection that was lost unnoticed is replaced at once; a server that is away is reported.
        if (used.isOpen() || attempt > 0) throw error
      }
    }
  }

  function run(): Promise<number> {
    const result = read().finally(() => {
      if (running === result) running = null
    })
    running = result
    return result
  }

  return {
    current: () => {
      if (running === null) return run()
      next ??= running
        .catch(() => 0)
        .then(() => {
          next = null
          return run()
        })
      return next
    },
    close: async () => {
      const known = await connection?.catch(() => null)
      await known?.close()
    },
  }
}
