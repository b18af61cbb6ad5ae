import { expect, test } from 'vitest'
import { isNightly } from '../harness/nightly.ts'
import { runFuzz } from './runFuzz.ts'

/** Each run draws requests of its own. */
const count = isNightly ? 5_000 : 600

test('no request breaks the service', async () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const { statuses, failures, logged } = await runFuzz({ count, seed, attestations: 500 })
  expect({ failures, logged }, `FUZZ_SEED=${seed}`).toEqual({ failures: [], logged: [] })
  expect(statuses[200], JSON.stringify(statuses)).toBeGreaterThan(100)
  expect(statuses[400]).toBeGreaterThan(100)
})
