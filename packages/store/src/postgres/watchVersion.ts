import type { Connection } from './connection.ts'
import { epochStep } from '@attestry/core/index/indexReader.ts'
import { readState, type IndexState } from './indexState.ts'

/** The version of the index, asked for on a connection of its own. */
export interface VersionWatch {
  /**
   * What `IndexReader.indexVersion` answers: never of a moment before it was called. Callers that come while an answer
   * is under way share the next one: a thousand requests at once cost two statements.
   */
  current(): Promise<number>
  /** The state that was read last; null before the first. */
  latest(): IndexState | null
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
  let latest: IndexState | null = null
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
        latest = await readState(used)
        return epoch * epochStep + latest.version
      } catch (error) {
        // A connection that was lost unnoticed is replaced at once; a server that is away is told of.
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
    latest: () => latest,
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
