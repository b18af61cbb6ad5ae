import { setTimeout as delay } from 'node:timers/promises'
import { StoreIncompatibleError } from '@attestry/core/errors/storeErrors.ts'
import { openConnection, type Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { createStatementTexts } from './statementTexts.ts'

/** How long a statement may wait for a connection of the pooler, while another one is held. */
const holdMs = 500
const rounds = 3
const connectTimeoutMsDefault = 10_000

/**
 * Whether a pooler stands before the server that gives sessions to clients by transaction or by statement. Such a
 * pooler shows itself in one of two ways: two clients have one session of the server, or one client has two.
 *
 * @throws what `pg` throws if the server cannot be reached.
 */
export async function findTransactionPooler(
  url: string,
  connectTimeoutMs = connectTimeoutMsDefault,
): Promise<boolean> {
  const options = {
    url,
    applicationName: 'attestry check',
    statements: createStatementTexts({ named: false }),
    // The settings of a shared session would be those of other clients.
    setsByTransaction: true,
    connectTimeoutMs,
    answerTimeoutMs: connectTimeoutMs + holdMs,
  }
  const first = await openConnection(options)
  try {
    const second = await openConnection(options)
    try {
      for (let round = 0; round < rounds; round++) {
        if (await isShared(first, second)) return true
      }
      return false
    } finally {
      await second.close()
    }
  } finally {
    await first.close()
  }
}

/**
 * Makes sure that each connection has a session of its own, which keeps settings, locks and temporary tables.
 * @throws StoreIncompatibleError, and what `pg` throws
 */
export async function assertOwnSessions(url: string): Promise<void> {
  if (!(await findTransactionPooler(url))) return
  const place = databasePlace(url)
  throw new StoreIncompatibleError(describePooler(place), { facts: { database: place } })
}

/** The sentence about a pooler in transaction mode before a database that is to be written to. */
export function describePooler(place: string): string {
  return (
    `a pooler in transaction mode stands before the database ${place}, and whatever writes to it needs sessions of ` +
    'its own: give the address of PostgreSQL itself, or of a pooler in session mode'
  )
}

async function isShared(first: Connection, second: Connection): Promise<boolean> {
  const before = await readSession(first)
  if ((await readSession(first)) !== before) return true
  await second.exec('BEGIN')
  let after: Promise<number>
  try {
    if ((await readSession(second)) === before) return true
    after = readSession(first)
    await Promise.race([after.catch(() => undefined), delay(holdMs, undefined, { ref: false })])
  } finally {
    await second.exec('ROLLBACK')
  }
  return (await after) !== before
}

/** The process of the server that answers: each session has one of its own. */
async function readSession(connection: Connection): Promise<number> {
  const row = await connection.get<[number]>('SELECT pg_backend_pid()')
  if (row === undefined) throw new Error('the server names no process')
  return row[0]
}
