import { afterEach, expect, test } from 'vitest'
import { createChainClientFixture } from '@attestry/test/harness/chainClientFixture.ts'
import { answerBlocks } from '@attestry/test/harness/fakeBlocks.ts'

const fixture = createChainClientFixture()
afterEach(() => fixture.stop())

test('every request to an endpoint is reported once, with only its host and the code of its failure', async () => {
  const server = await fixture.startServer({
    eth_chainId: () => '0x7',
    eth_getBlockByNumber: answerBlocks(1000),
  })
  let faults = 2
  server.intercept((request) =>
    request.calls[0]?.method !== 'eth_chainId' && faults-- > 0 ? { kind: 'reset' } : null,
  )
  const told: [host: string, errorCode: string | null][] = []
  const { client } = fixture.startClient([`${server.url}/secret-key`], {
    retryDelayMs: 1,
    onRequest: (...request) => void told.push(request),
  })
  await client.fetchHead()
  const { host } = new URL(server.url)
  expect(told.length).toBe(server.requests.length)
  expect(told.filter(([, code]) => code === 'RPC_UNREACHABLE')).toHaveLength(2)
  expect(new Set(told.map(([each]) => each))).toEqual(new Set([host]))
})
