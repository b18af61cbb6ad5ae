import type { TakeTurn } from '@attestry/core/model/threadTurns.ts'
import { createPace } from '../reading/createPace.ts'
import type { CountWork } from '../reading/queryCounts.ts'
import { tooMuchWork, type CountBudget } from '../reading/tallyRows.ts'
import type { ReadSession } from './readSession.ts'
import { isStatementTimeout } from './translatePostgresError.ts'

/** How often a count looks whether anybody still waits for it. */
const lookMs = 250

/**
 * Runs a long count in one transaction, whose statements the server ends after the time of the budget, or once `turn`
 * rejects.
 * @throws StoreTooMuchWorkError beyond the budget; whatever `turn` rejects with.
 */
export async function countWithin<Result>(
  session: Pick<ReadSession, 'connection'>,
  work: (effort: Parameters<CountWork<Result>>[1]) => ReturnType<CountWork<Result>>,
  budget: CountBudget,
  turn: TakeTurn = () => Promise.resolve(),
): Promise<Result> {
  const { connection } = session
  await turn()
  const [backend] = await Promise.all([
    connection.get<[number]>('SELECT pg_backend_pid()'),
    connection.exec(`SET LOCAL statement_timeout = ${budget.durationMaxMs}`),
  ])
  let ending: { readonly reason: unknown } | null = null
  let looking = Promise.resolve()
  const look = async (): Promise<void> => {
    try {
      await turn()
    } catch (reason) {
      ending ??= { reason }
      // If no connection for the cancel can be had, the count ends by its time.
      await connection.cancel(backend?.[0] ?? 0).catch(() => undefined)
    }
  }
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, lookMs)
  try {
    const counted = await work({ rowsMax: budget.rowsMax, pace: createPace(budget, null) })
    if (counted !== null) return counted.result
  } catch (error) {
    if (ending !== null) throw (ending as { readonly reason: unknown }).reason
    throw isStatementTimeout(error) ? tooMuchWork(budget, error) : error
  } finally {
    clearInterval(timer)
    // Nothing is cancelled any more once the connection is another read's.
    await looking
  }
  throw tooMuchWork(budget)
}
