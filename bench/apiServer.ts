import type { AddressInfo } from 'node:net'
import { createServer } from '../src/api/createServer.ts'
import { openBenchDatabase } from './openBenchDatabase.ts'
import { answerQuestions } from './childProcess.ts'

/**
 * The API over a database that stands still, in a process of its own: `apiServer.ts DATABASE [KEPT_BYTES]`, the database as the
 * configuration names one. Says its port as one line of JSON; asked for `residentBytes`, how much memory it takes.
 */
const [url = '', keptBytes] = process.argv.slice(2)
const reader = (await openBenchDatabase(url)).openReader()
const app = createServer({
  reader,
  queries: reader,
  ...(keptBytes === undefined ? {} : { keptBytesMax: Number(keptBytes) }),
})
answerQuestions({ residentBytes: () => process.memoryUsage.rss() })
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
