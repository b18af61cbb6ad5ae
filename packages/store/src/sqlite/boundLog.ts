import { statSync } from 'node:fs'
import { busyTimeoutMs, type Connection } from './connection.ts'

/** Bytes of a page of the database, SQLite's default. */
export const pageBytes = 4_096

/** How long a checkpoint waits for readers: reads of the API take milliseconds, an export may take hours. */
const readersWaitMs = 1_000

/** How far the log may outgrow its bound before a checkpoint waits for readers. */
const excess = 1.25

/** Keeps the write-ahead log of a writing connection short. */
export interface BoundLog {
  /** Sets the pages above which the log is moved into the database. */
  setBound(pages: number): void
  /** To be called after each commit. */
  afterCommit(): void
}

/**
 * Bounds the log of a connection. SQLite's own checkpoint, right after a commit, waits for nobody: beside reads
 * that are always under way the log never begins anew, and grows without end. So a log that has outgrown its bound is
 * moved by a checkpoint that waits for readers.
 * @param waitMs how long that checkpoint waits.
 */
export function boundLog(connection: Connection, waitMs = readersWaitMs): BoundLog {
  // The log stands beside the file itself if the path is a symbolic link.
  const [, , file = ''] =
    connection.statement<[seq: number, name: string, file: string]>('PRAGMA database_list').get() ?? []
  let boundBytes = Infinity
  /** The size of the file when a checkpoint failed last, since a reader held an earlier state. */
  let heldBytes = 0

  return {
    setBound(pages) {
      boundBytes = pages * pageBytes
      // The first commit after a checkpoint shrinks the file to this size, so that a larger one shows a long log.
      connection.exec(`PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = ${boundBytes}`)
    },
    afterCommit() {
      const { size } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? { size: 0 }
      if (size < heldBytes) heldBytes = 0
      // A reader that holds its state for long delays no other commit until the log has grown as much again.
      if (size < heldBytes + boundBytes * excess) return
      connection.exec(`PRAGMA busy_timeout = ${waitMs}`)
      heldBytes = size
      try {
        const [busy] = connection.statement<[busy: number]>('PRAGMA wal_checkpoint(RESTART)').get() ?? []
        if (busy === 0) heldBytes = 0
      } catch {
        // The commit is durable in the log. A disk that is full or fails refuses the next commit too.
      } finally {
        connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
      }
    },
  }
}
