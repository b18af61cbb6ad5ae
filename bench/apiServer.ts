import { existsSync, readFileSync } from 'node:fs'
import { serveAgents } from '@attestry/agents/serveAgents.ts'
import { serveExports } from '@attestry/archive/export/serveExports.ts'
import { serveEas } from '@attestry/subgraphs/eas/serveEas.ts'
import type { AddressInfo } from 'node:net'
import { collectWhileServing } from '@attestry/host/collectEarly.ts'
import { createLogger } from '@attestry/host/createLogger.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { contentLayout, openContentStore } from '@attestry/content/contentStore.ts'
import { offchainLayout } from '@attestry/trust/offchainStore/offchainDatabase.ts'
import { openOffchainStore } from '@attestry/trust/offchainStore/openOffchainStore.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { besidePath, openSqliteBeside } from '@attestry/store/beside/openSqliteBeside.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { openBenchDatabase } from './openBenchDatabase.ts'
import { answerQuestions } from './childProcess.ts'

/**
 * Serves the API over a database without a writer, in its own process: `apiServer.ts DATABASE [KEPT_BYTES [REQUESTS [LAG]]]`.
 * DATABASE is written as in a configuration; REQUESTS sets `server.rateLimit`, in requests a minute, unless it is empty. LAG is the delay of the thread, in milliseconds, beyond which requests are refused. Prints its port as
 * one line of JSON. Answers the question `ownBytes` with its anonymous memory, without mapped pages of files, which the
 * kernel shares and reclaims.
 */
const [url = '', keptBytes, requestsMax = '', lagMaxMs] = process.argv.slice(2)
// As in the program.
collectWhileServing()
const reader = (await openBenchDatabase(url)).openReader()
const beside = url.endsWith('.db') && existsSync(besidePath(url, contentLayout)) ? openLong(url) : {}
// No chain is behind at the time of its last block: answers about chains that are behind cost more.
const [chain] = await reader.listChains()
const nowMs = chain?.status.indexedTimestamp == null ? Date.now() : chain.status.indexedTimestamp * 1000
const app = createServer({
  reader,
  now: () => unixMilliseconds(nowMs),
  decodePayload: decodeAttestedPayload,
  ...beside,
  listFieldPaths,
  wings: [serveAgents(), serveExports(), serveEas()],
  logger: createLogger({
    writeLine: (line) => process.stderr.write(`${line}\n`),
    human: false,
    debug: false,
  }),
  ...(requestsMax === '' ? {} : { rateLimit: { max: Number(requestsMax), windowSeconds: 60 } }),
  ...(lagMaxMs === undefined ? {} : { limits: { load: { lagMaxMs: Number(lagMaxMs) } } }),
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

/** Content and the store of off-chain attestations, if the index has such files. */
function openLong(index: string) {
  const storage = {
    store: openOffchainStore(openSqliteBeside(besidePath(index, offchainLayout), offchainLayout)),
    writers: new Set<string>(),
    quota: { key: 0, address: 0 },
  }
  const content = openContentStore(openSqliteBeside(besidePath(index, contentLayout), contentLayout))
  return { storage, content }
}

/** Falls back to all resident memory if the system does not separate anonymous memory. */
function readOwnBytes(): number {
  try {
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    if (kibibytes !== undefined) return Number(kibibytes) * 1024
  } catch {
    // This file exists only on Linux.
  }
  return process.memoryUsage.rss()
}
