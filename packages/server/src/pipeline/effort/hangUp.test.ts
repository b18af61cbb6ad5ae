import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/graphqlServer.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { createServer } from '../../testing/createServer.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { takeTurn, type TakeTurn } from '@attestry/core/model/threadTurns.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { listenLocally } from '../testing/sendRaw.ts'

test('a client that hangs up during the first read of its document ends the others', async () => {
  const index = createSampleIndex()
  const server = createTestServer({}, index)
  const port = await listenLocally(server.app)
  server.app.server.prependListener('request', (_request, response) => {
    // The state of the chains is read first.
    let reads = 0
    index.onRead = () => {
      reads += 1
      if (reads === 2) response.destroy()
    }
  })
  const query =
    '{ a: schema(id: "onchain_evm_11155111_0x1") { id } b: schema(id: "onchain_evm_11155111_0x2") { id } c: attestations { totalCount } }'
  const body = JSON.stringify({ query })
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  socket.end(
    `POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await once(socket, 'close')
  await server.app.close()
  expect(server.calls).toHaveLength(1)
  expect(server.logged).toEqual([])
})

const postOf = (path: string, body: unknown) => {
  const text = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}
const getOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const schemaId = 'onchain_evm_11155111_0x1'

test.each([
  ['groups', getOf('/scan/aggregate/attestations?by=recipient&revoked=true')],
  ['a filtered list', getOf('/scan/attestations?revoked=true')],
  [
    'holders',
    postOf('/scan/holders', { schemaId, addresses: ['0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'] }),
  ],
  ['a total', postOf('/graphql', { query: '{ attestations(filter: {revoked: true}) { totalCount } }' })],
])('a client that hangs up during a long read of %s ends that read', async (_name, request) => {
  const reader = openTestIndex(createSampleIndex())
  let steps = 0
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  /** A read that would never end by itself. */
  const readLong = async (turn: TakeTurn = takeTurn): Promise<never> => {
    begun.resolve()
    try {
      for (;;) {
        steps += 1
        await turn()
        if (steps > 100_000) throw new Error('the read goes on')
      }
    } finally {
      ended.resolve()
    }
  }
  const app = createServer({
    reader: {
      ...reader,
      groupAttestations: (_request, turn) => readLong(turn),
      listAttestations: (_listing, _page, _fields, turn) => readLong(turn),
      findHoldings: (_request, turn) => readLong(turn),
      countAttestations: (_filter, turn) => readLong(turn),
    } satisfies IndexReader,
  })
  const port = await listenLocally(app)
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  socket.write(request)
  await begun.promise
  socket.destroy()
  await ended.promise
  expect(steps).toBeLessThan(100_000)
  await setTimeout(0)
  await app.close()
})
