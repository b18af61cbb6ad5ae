import { countInSteps } from '../reading/countInSteps.ts'
import { countUpTo, tooMuchWork, type CountBudget } from '../reading/countRows.ts'
import type { FindCount } from '../reading/queryCounts.ts'
import type { ReadSession } from './readSession.ts'
import { isStatementTimeout } from './translatePostgresError.ts'

/**
 * Counts many rows in one transaction, whose statements the server ends after the time of the budget.
 * @throws StoreTooMuchWorkError beyond the budget.
 */
export async function countWithin(
  session: ReadSession,
  find: FindCount,
  budget: CountBudget,
): Promise<number> {
  const plan = await find(session)
  if (typeof plan === 'number') return plan
  const { connection } = session
  if (plan.check !== null) {
    return await countInSteps(
      connection,
      plan,
      budget,
      () => Promise.resolve(),
      () => false,
    )
  }
  await connection.exec(`SET LOCAL statement_timeout = ${budget.durationMaxMs}`)
  try {
    const count = await countUpTo(connection, plan, budget.rowsMax)
    if (count !== null) return count
  } catch (error) {
    throw isStatementTimeout(error) ? tooMuchWork(budget, error) : error
  }
  throw tooMuchWork(budget)
}
