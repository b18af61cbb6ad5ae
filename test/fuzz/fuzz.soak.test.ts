import { expect, test } from 'vitest'
import { runFuzz } from './runFuzz.ts'

test('no request of twenty thousand breaks the service, or takes longer than a second', async () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const result = await runFuzz({ count: 20_000, seed, attestations: 20_000 })
  const { failures, logged, slowest, statuses } = result
  process.stdout.write(`${JSON.stringify({ seed, statuses, slowest })}\n`)
  expect({ failures, logged }, `FUZZ_SEED=${seed}`).toEqual({ failures: [], logged: [] })
  expect(slowest.elapsedMs, `FUZZ_SEED=${seed} ${slowest.request}`).toBeLessThan(1_000)
})
