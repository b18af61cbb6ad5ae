import { expect, test } from 'vitest'
import { startScriptedRpcServer } from '@attestry/test/harness/scriptedRpcServer.ts'
import { createDevClient } from './devChain.ts'

test('the abort of one client does not affect the requests of another one', async () => {
  const server = await startScriptedRpcServer(31_337)
  const stop = new AbortController()
  try {
    const aborted = createDevClient(server.url, stop.signal, false).getChainId()
    const other = createDevClient(server.url).getChainId()
    stop.abort()
    await expect(aborted).rejects.toThrow('aborted')
    expect(await other).toBe(31_337)
  } finally {
    await server.close()
  }
})
