import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { collectWhileServing } from '../src/cli/collectEarly.ts'
import { createLogger } from '../src/cli/createLogger.ts'
import { createServer } from '../src/api/testing/createServer.ts'
import { easInterface } from '../src/protocols/eas/easInterface.ts'
import { listFieldPaths } from '../src/protocols/listFieldPaths.ts'
import { openBenchDatabase } from './openBenchDatabase.ts'
import { answerQuestions } from './childProcess.ts'

/**
 * The API over a database without a writer, in a process of its own: `apiServer.ts DATABASE [KEPT_BYTES [REQUESTS]]`,
 * with the database as in a configuration, and `server.rateLimit` of as many requests a minute. Prints its port as one line of JSON. Answers the question `ownBytes` with its
 * anonymous memory, without mapped pages of files, which the kernel shares and reclaims.
 */
const [url = '', keptBytes, requestsMax] = process.argv.slice(2)
// As in the program.
collectWhileServing()
const reader = (await openBenchDatabase(url)).openReader()
const app = createServer({
  reader,
  listFieldPaths,
  eas: easInterface,
  logger: createLogger({
    writeLine: (line) => process.stderr.write(`${line}\n`),
    human: false,
    debug: false,
  }),
  ...(requestsMax === undefined ? {} : { rateLimit: { max: Number(requestsMax), windowSeconds: 60 } }),
  ...(keptBytes === undefined ? {} : { keptBytesMax: Number(keptBytes) }),
})
answerQuestions({ ownBytes: readOwnBytes })
await app.listen({ host: '127.0.0.1', port: 0 })
// `address()` of a server that listens on a port is an `AddressInfo`.
const { port } = app.server.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ port })}\n`)
process.on('SIGTERM', () => {
  void app
    .close()
    .then(() => reader.close())
    .then(() => process.exit())
})

/** Falls back to all resident memory where the system does not separate anonymous memory. */
function readOwnBytes(): number {
  try {
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    if (kibibytes !== undefined) return Number(kibibytes) * 1024
  } catch {
    // This file exists only on Linux.
  }
  return process.memoryUsage.rss()
}
