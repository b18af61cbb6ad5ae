import { afterEach, expect, test } from 'vitest'
import {
  rpcError,
  startScriptedRpcServer,
  type CallHandler,
} from '@attestry/test/harness/scriptedRpcServer.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { probeProofs } from './probeProofs.ts'

const servers: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function probe(answer: CallHandler, chainId = 7) {
  const server = await startScriptedRpcServer(chainId, { eth_getProof: answer })
  servers.push(server)
  const address = parseAddress(`0x${'11'.repeat(20)}`) ?? zeroAddress
  const deployments = [{ protocol: 'eas', address }] as never
  const [found] = await probeProofs(
    { chainId: 7, rpc: [`${server.url}/v2/k3y0123456789abcdef`], deployments },
    5_000,
  )
  expect(JSON.stringify(found)).not.toContain('k3y0123456789abcdef')
  return [found?.provesState, found?.reason]
}

test('an endpoint proves, does not, or did not say', async () => {
  expect(await probe(() => ({ accountProof: [] }))).toEqual([true, null])
  expect(await probe(() => null)).toEqual([false, expect.stringContaining('is no proof')])
  expect(await probe(() => rpcError(-32601, 'the method eth_getProof does not exist'))).toEqual([
    false,
    expect.stringContaining('does not exist'),
  ])
  expect(await probe(() => rpcError(-32005, 'rate limit exceeded'))).toEqual([
    null,
    expect.stringContaining('rate limit'),
  ])
  expect(await probe(() => ({ accountProof: [] }), 5)).toEqual([
    null,
    expect.stringContaining('serves chain 5'),
  ])
})
