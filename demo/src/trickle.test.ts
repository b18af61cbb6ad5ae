import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startScriptedRpcServer } from '@attestry/test/harness/scriptedRpcServer.ts'
import { demoSchemas } from './content/demoSchemas.ts'
import { demoAccount } from './demoAccounts.ts'
import type { DemoCalls } from './demoProtocol.ts'
import { createDevClient } from './devChain.ts'
import { planHistory } from './planHistory.ts'
import { createRandom } from './random.ts'
import { trickle } from './trickle.ts'

const transaction = async () => ({ from: demoAccount(0).address, data: '0x' as const })
const calls: DemoCalls<bigint> = {
  register: async () => [await transaction()],
  attest: transaction,
  revoke: transaction,
  anchor: transaction,
  revokeAnchor: transaction,
  createdIds: () => ({ schemaIds: [], attestationIds: [] }),
}

test('ends when asked to while the receipt of a transaction is awaited', async () => {
  const server = await startScriptedRpcServer(31_337)
  const stop = new AbortController()
  try {
    server.on('eth_sendTransaction', () => `0x${'11'.repeat(32)}`)
    server.intercept(({ calls: asked }) =>
      asked.some(({ method }) => method === 'eth_getTransactionReceipt') ? { kind: 'hang' } : null,
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
      calls,
      { history, schemaIds: [1n], attestationIds: [] },
      { random: createRandom(2), signal: stop.signal },
    )
    await expect.poll(() => server.requests.length).toBeGreaterThan(1)
    stop.abort()
    // A receipt is awaited for 10 seconds.
    const late = delay(8_000, 'late', { ref: false })
    expect(await Promise.race([trickling, late])).toBeUndefined()
  } finally {
    stop.abort()
    await server.close()
  }
})
