import { expect, test } from 'vitest'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { StoreInvariantError, StoreUnavailableError } from '../errors/storeErrors.ts'
import { afterFailure } from './afterFailure.ts'

const passing = new InconsistentChainError('two forks', { retryable: true })

function delays(error: Error, failures: readonly number[]): (number | string)[] {
  return failures.map((count) => {
    const next = afterFailure(error, count)
    return next.kind === 'retry' ? next.delayMs : next.kind
  })
}

test('pauses double up to eight seconds, and up to seconds while the database is away', () => {
  expect(delays(passing, [1, 2, 3, 7, 8, 5_000])).toEqual([500, 1_000, 2_000, 8_000, 8_000, 8_000])
  const away = new StoreUnavailableError('the server is away', { retryable: true })
  expect(delays(away, [1, 2, 4, 5, 5_000])).toEqual([500, 1_000, 4_000, 4_000, 4_000])
})

test('the log has one line a failure at first, and then one for twice as many each time', () => {
  const logged = Array.from({ length: 40 }, (_, index) => index + 1).filter((failures) => {
    const next = afterFailure(passing, failures)
    return next.kind === 'retry' && next.isLogged
  })
  expect(logged).toEqual([1, 2, 4, 8, 16, 32])
})

test('a broken invariant and a defect stop the chain at once', () => {
  expect(delays(new StoreInvariantError('a gap'), [1])).toEqual(['stop'])
  expect(delays(new TypeError('a defect'), [1])).toEqual(['stop'])
})
