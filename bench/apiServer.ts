import type { AddressInfo } from 'node:net'
import { createServer } from '../src/api/createServer.ts'
import { openSqliteReader } from '../src/store/sqlite/openSqliteReader.ts'
import { answerQuestions } from './childProcess.ts'

/**
 * The API over a database that stands still, in a process of its own: `apiServer.ts DATABASE [KEPT_BYTES]`. Says its port as one
 * line of JSON.
 */
const [path = '', keptBytes] = process.argv.slice(2)
const reader = openSqliteReader(path)
const app = createServer({
  reader,
  queries: reader,
  ...(keptBytes === undefined ? {} : { keptBytesMax: Number(keptBytes) }),
})
answerQuestions()
await app.listen({ host: '127.0.0.1', port: 0 })
// A server that listens on a port has an address of this shape.
const { port } = app.server.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ port })}\n`)
process.on('SIGTERM', () => {
  void app
    .close()
    .then(() => reader.close())
    .then(() => process.exit())
})
