import { describeError } from '@attestry/core/errors/baseError.ts'
import type { ServerCheck } from '@attestry/core/index/serverCheck.ts'
import { createChainClaims } from '../writing/chainClaims.ts'
import { openConnection, type Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { encodeCopy, type CopyTarget } from './encodeCopy.ts'
import { assertOwnSessions } from './findPooler.ts'
import { createPostgresTables } from './tables.ts'
import { translatePostgresError } from './translatePostgresError.ts'
import { writerSettings } from './writerSession.ts'

/** Two connections of their own, and the number of a chain that no other check and no chain has. */
interface Probe {
  readonly first: Connection
  readonly second: Connection
  readonly chainId: number
}

/**
 * Tries what an indexer relies on, whatever the server calls itself. `checkSessions` has found no problem, and
 * `migratePostgres` has brought the database up to date, which tries the types, the indexes and the functions.
 * @throws StoreUnavailableError if the server cannot be reached.
 */
export async function checkServer(url: string): Promise<readonly ServerCheck[]> {
  const place = databasePlace(url)
  const open = () =>
    openConnection({ url, applicationName: 'attestry check' }).catch((error: unknown) => {
      throw translatePostgresError(place, error)
    })
  const first = await open()
  try {
    const second = await open()
    try {
      const probe = { first, second, chainId: -1 - Math.floor(Math.random() * 2 ** 48) }
      const found: ServerCheck[] = []
      for (const [name, check] of Object.entries(checks)) {
        found.push(await run(place, name, () => check(probe)))
        // A check that failed may have left its transactions open.
        for (const connection of [first, second]) await connection.rollback().catch(() => undefined)
      }
      await first.run('DELETE FROM chain_claim WHERE chain_id = ?', probe.chainId).catch(() => undefined)
      return found
    } finally {
      await second.close()
    }
  } finally {
    await first.close()
  }
}

/** Tries the one thing that has to be known before anything is written, even the tables. */
export async function checkSessions(url: string): Promise<ServerCheck> {
  return await run(databasePlace(url), 'each connection has a session of its own', async () => {
    await assertOwnSessions(url)
    return null
  })
}

async function run(place: string, name: string, check: () => Promise<string | null>): Promise<ServerCheck> {
  try {
    const problem = await check()
    return { name, problem: problem === null ? null : `the database ${place} ${problem}` }
  } catch (error) {
    return { name, problem: describeError(translatePostgresError(place, error)) }
  }
}

/** The checks by name. Each returns its problem as the rest of a sentence that begins with the name of the database. */
const checks: Readonly<Record<string, (probe: Probe) => Promise<string | null>>> = {
  'texts are stored in UTF-8': async ({ first }) => {
    const row = await first.get<[string]>("SELECT current_setting('server_encoding')")
    return row?.[0] === 'UTF8'
      ? null
      : `stores texts in ${row?.[0]}, which lacks characters: create it with ENCODING 'UTF8'`
  },
  'keys are in the order of their bytes': async ({ first }) => {
    const row = await first.get<[boolean]>(`SELECT 'Z' COLLATE "C" < 'a' AND '\\x7f'::bytea < '\\x80'::bytea`)
    return row?.[0] === true ? null : 'does not order texts of the collation "C", or bytes, by their bytes'
  },
  'the settings of an indexer are known': async ({ first }) => {
    for (const [name, value] of Object.entries(writerSettings)) {
      await first.exec(`SET ${name} = '${value}'`)
    }
    return null
  },
  'rows are copied in the binary format': async ({ first }) => {
    const target: CopyTarget = {
      table: 'attestry_check',
      columns: { number: 'int53', bytes: 'bytes', text: 'text', list: 'int53List' },
    }
    const row = { number: 2 ** 53 - 1, bytes: Uint8Array.of(0, 255), text: 'ß\u{1f600}', list: [1, 2] }
    await first.exec(
      'BEGIN; CREATE TEMPORARY TABLE attestry_check (number bigint, bytes bytea, text text, list bigint[])',
    )
    await first.copy(target, encodeCopy(target, [row]))
    const found = await first.get<[number, Uint8Array, string, number[]]>(
      'SELECT number, bytes, text, list FROM attestry_check',
    )
    const isEqual =
      found !== undefined &&
      found[0] === row.number &&
      Buffer.from(row.bytes).equals(found[1]) &&
      found[2] === row.text &&
      found[3].join() === row.list.join()
    return isEqual ? null : 'does not keep rows as they were copied'
  },
  'an advisory lock has one owner': async ({ first, second, chainId }) => {
    const lock = (connection: Connection) =>
      connection.get<[boolean]>('SELECT pg_try_advisory_lock(?::bigint)', chainId)
    const [own] = (await lock(first)) ?? [false]
    const [other] = (await lock(second)) ?? [true]
    await first.run('SELECT pg_advisory_unlock(?::bigint)', chainId)
    return own && !other ? null : 'gives an advisory lock to two sessions, or to none'
  },
  'a row that is written waits for its writer': async ({ first, second, chainId }) => {
    const claims = createChainClaims('the database')
    await claims.take(chainId, (work) => work(createPostgresTables(first)))
    await first.begin('')
    await claims.use(createPostgresTables(first), chainId)
    await second.begin('', { lock_timeout: '10ms' })
    const isWaiting = await second
      .run('UPDATE chain_claim SET used = 0 WHERE chain_id = ?', chainId)
      .then(() => false)
      .catch((error: unknown) => error instanceof Error && 'code' in error && error.code === lockNotAvailable)
    return isWaiting ? null : 'lets two transactions write to one row at a time'
  },
  'a transaction reads one state': async ({ first, second, chainId }) => {
    await first.run(
      'INSERT INTO chain_claim (chain_id, token, used) VALUES (?, ?, 0) ON CONFLICT DO NOTHING',
      chainId,
      '',
    )
    const read = async () =>
      (await first.get<[number]>('SELECT used FROM chain_claim WHERE chain_id = ?', chainId))?.[0]
    await first.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const before = await read()
    await second.run('UPDATE chain_claim SET used = used + 1 WHERE chain_id = ?', chainId)
    const during = await read()
    await first.exec('COMMIT')
    const after = await read()
    if (before !== during) return 'shows a transaction what others have committed since its beginning'
    return after !== during ? null : 'does not show what another session has committed'
  },
}

const lockNotAvailable = '55P03'
