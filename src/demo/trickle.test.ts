import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startScriptedRpcServer } from '../../test/harness/scriptedRpcServer.ts'
import { demoSchemas } from './content/demoSchemas.ts'
import { createDevClient } from './devChain.ts'
import { planHistory } from './planHistory.ts'
import { createRandom } from './random.ts'
import { trickle } from './trickle.ts'

const address = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'

test('ends when asked to while the receipt of a transaction is awaited', async () => {
  const server = await startScriptedRpcServer(31_337)
  const stop = new AbortController()
  try {
    server.on('eth_sendTransaction', () => `0x${'11'.repeat(32)}`)
    server.intercept(({ calls }) =>
      calls.some(({ method }) => method === 'eth_getTransactionReceipt') ? { kind: 'hang' } : null,
    )
    const history = planHistory({
      schemas: demoSchemas.slice(0, 1),
      attestations: 0,
      random: createRandom(1),
      startTimeS: 1_700_000_000,
      endTimeS: 1_700_086_400,
    })
    const trickling = trickle(
      createDevClient(server.url, stop.signal),
      { address, startBlock: 1, hook: address },
      { history, schemaIds: [1n], attestationIds: [] },
      { random: createRandom(2), signal: stop.signal },
    )
    await expect.poll(() => server.requests.length).toBeGreaterThan(1)
    stop.abort()
    // viem's own limit is 10 seconds.
    const late = delay(8_000, 'late', { ref: false })
    expect(await Promise.race([trickling, late])).toBeUndefined()
  } finally {
    stop.abort()
    await server.close()
  }
})
