import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { collectWhileServing } from '../src/cli/collectEarly.ts'
import { createServer } from '../src/api/createServer.ts'
import { openBenchDatabase } from './openBenchDatabase.ts'
import { answerQuestions } from './childProcess.ts'

/**
 * The API over a database that stands still, in a process of its own: `apiServer.ts DATABASE [KEPT_BYTES]`, the database as the
 * configuration names one. Says its port as one line of JSON; asked for `ownBytes`, how much memory it takes
 * beside the mapped pages of files, which the system shares and takes back as it likes.
 */
const [url = '', keptBytes] = process.argv.slice(2)
// As the program does.
collectWhileServing(url.startsWith('postgres') ? 'postgres' : 'sqlite')
const reader = (await openBenchDatabase(url)).openReader()
const app = createServer({
  reader,
  queries: reader,
  ...(keptBytes === undefined ? {} : { keptBytesMax: Number(keptBytes) }),
})
answerQuestions({ ownBytes: readOwnBytes })
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

/** Of all that is resident where the system does not tell it apart. */
function readOwnBytes(): number {
  try {
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    if (kibibytes !== undefined) return Number(kibibytes) * 1024
  } catch {
    // Only Linux has this file.
  }
  return process.memoryUsage.rss()
}
