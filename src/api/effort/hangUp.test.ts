import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createTestServer } from '../graphql/testing/graphqlServer.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { listenLocally } from '../testing/sendRaw.ts'

test('a client that hangs up during the first read of its document ends the others', async () => {
  const index = createSampleIndex()
  const server = createTestServer({}, index)
  const port = await listenLocally(server.app)
  server.app.server.prependListener('request', (_request, response) => {
    index.onRead = () => void response.destroy()
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
