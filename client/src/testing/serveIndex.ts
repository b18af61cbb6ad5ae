import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createRequestMeter } from '@attestry/server/pipeline/metrics/requestMeter.ts'
import { sampleChainId } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'

/** The service over its own database, into which tests write. */
export interface ServedIndex {
  readonly baseUrl: string
  /** Indexes events, block by block. */
  apply(...events: readonly DomainEvent[]): Promise<void>
  /** Connections that follow changes. */
  openStreams(): number
  /** Reverts everything above a block. */
  revert(toBlock: number): Promise<void>
  close(): Promise<void>
}

/** @param options further options of the server. */
export async function serveIndex(
  options: Partial<Parameters<typeof createServer>[0]> = {},
): Promise<ServedIndex> {
  const store = await createSqliteTestStore()
  const writer = store.openWriter()
  const reader = store.openReader()
  const meter = createRequestMeter()
  const app = createServer({
    meter,
    reader,
    journal: reader as typeof reader & ChangeJournal,
    decodePayload: decodeAttestedPayload,
    listFieldPaths,
    limits: {
      events: { connectionsMax: 43, pollIntervalMs: 10, heartbeatMs: 1_000, pendingBytesMax: 100_000 },
    },
    ...options,
  })
  const port = await listenLocally(app)
  await writer.openChain({ chainId: sampleChainId, name: 'Sepolia', contracts: [] })
  let nextBlock = 0
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    apply: async (...events) => {
      const last = events.at(-1)
      if (last === undefined) return
      const blockNumber = positionBlock(last.position)
      await writer.applyBlocks(sampleChainId, {
        fromBlock: nextBlock,
        checkpoint: { blockNumber, timestamp: unixSeconds(1_700_000_000) },
        events,
        recentBlocks: [],
        forgetBlocksBelow: 0,
        storedAt: unixMilliseconds(1_700_000_000_000),
      })
      nextBlock = blockNumber + 1
    },
    openStreams: () => meter.openStreams,
    revert: async (toBlock) => {
      await writer.revertBlocks(sampleChainId, toBlock, unixMilliseconds(1_700_000_000_000))
      nextBlock = toBlock + 1
    },
    close: async () => {
      await app.close()
      await Promise.all([reader.close(), writer.close()])
      await store.remove()
    },
  }
}

/** A server with answers that the test writes, such as those of a gateway or a failing server. */
export async function serveAnswers(
  answer: (request: IncomingMessage, response: ServerResponse, count: number) => void,
): Promise<{ readonly baseUrl: string; readonly count: () => number; close(): Promise<void> }> {
  let count = 0
  const server = createHttpServer((request, response) => answer(request, response, ++count))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    count: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
