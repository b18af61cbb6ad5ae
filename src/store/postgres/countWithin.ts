import { createPace } from '../reading/createPace.ts'
import type { CountWork } from '../reading/queryCounts.ts'
import { tooMuchWork, type CountBudget } from '../reading/tallyRows.ts'
import type { ReadSession } from './readSession.ts'
import { isStatementTimeout } from './translatePostgresError.ts'

/**
 * Runs a long count in one transaction, whose statements the server ends after the time of the budget.
 * @throws StoreTooMuchWorkError beyond the budget.
 */
export async function countWithin<Result>(
  session: ReadSession,
  work: CountWork<Result>,
  budget: CountBudget,
): Promise<Result> {
  await session.connection.exec(`SET LOCAL statement_timeout = ${budget.durationMaxMs}`)
  try {
    const counted = await work(session, { rowsMax: budget.rowsMax, pace: createPace(budget, null) })
    if (counted !== null) return counted.result
  } catch (error) {
    throw isStatementTimeout(error) ? tooMuchWork(budget, error) : error
  }
  throw tooMuchWork(budget)
}
