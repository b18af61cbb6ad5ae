import { expect, test } from 'vitest'
import { createRequestCounter } from './createRequestCounter.ts'

test('an endpoint counts from 0, before its first request', () => {
  const requests = createRequestCounter()
  requests.begin(1, 'rpc.example')
  const none = { chainId: 1, host: 'rpc.example', errorCode: null, count: 0 }
  expect(requests.counts()).toEqual([none])
  requests.count(1, 'rpc.example', null)
  requests.count(1, 'rpc.example', 'RPC_UNREACHABLE')
  requests.begin(1, 'rpc.example')
  expect(requests.counts()).toEqual([
    { ...none, count: 1 },
    { ...none, errorCode: 'RPC_UNREACHABLE', count: 1 },
  ])
})
