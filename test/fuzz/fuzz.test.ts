import { expect, test } from 'vitest'
import { runFuzz } from './runFuzz.ts'

test('no request breaks the service', async () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const { statuses, failures, logged } = await runFuzz({ count: 600, seed, attestations: 500 })
  expect({ failures, logged }, `FUZZ_SEED=${seed}`).toEqual({ failures: [], logged: [] })
  expect(statuses[200], JSON.stringify(statuses)).toBeGreaterThan(100)
  expect(statuses[400]).toBeGreaterThan(100)
})
