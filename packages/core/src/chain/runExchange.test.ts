import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseEndpointUrl } from './parseEndpointUrl.ts'
import { runExchange } from './runExchange.ts'

const address = parseEndpointUrl('http://127.0.0.1:1')
const { signal } = new AbortController()
const untilAborted = (aborted: AbortSignal) =>
  new Promise<never>((_, reject) => {
    aborted.addEventListener('abort', () => reject(new Error('aborted')))
  })

test('an answer counts that came while the process did not run', async () => {
  // Timers run before what came meanwhile.
  await nextTurn()
  const answer = runExchange(
    address,
    50,
    signal,
    async (aborted) => await Promise.race([nextTurn('answer'), untilAborted(aborted)]),
  )
  const endMs = performance.now() + 200
  while (performance.now() < endMs);
  await expect(answer).resolves.toBe('answer')
})

test('an exchange without an answer ends after its time', async () => {
  const startedMs = performance.now()
  await expect(runExchange(address, 50, signal, untilAborted)).rejects.toThrow('did not answer within 50 ms')
  expect(performance.now() - startedMs).toBeGreaterThan(45)
})
