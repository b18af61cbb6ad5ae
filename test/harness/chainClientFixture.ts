import { createChainClient } from '@attestry/core/chain/createChainClient.ts'
import type { ChainClient } from '@attestry/core/chain/chainClient.ts'
import type { ChainClientOptions, ChainEvent } from '@attestry/core/chain/chainClientOptions.ts'
import { AttestryError } from '@attestry/core/errors/baseError.ts'
import { answerBlocks } from './fakeBlocks.ts'
import { startScriptedRpcServer, type CallHandler, type ScriptedRpcServer } from './scriptedRpcServer.ts'

/** Scripted servers of chain 7 and their clients; `stop` ends all of them. */
export interface ChainClientFixture {
  startServer(handlers?: Readonly<Record<string, CallHandler>>): Promise<ScriptedRpcServer>
  startClient(
    urls: readonly string[],
    options?: Partial<ChainClientOptions>,
  ): { readonly client: ChainClient; readonly events: readonly ChainEvent[] }
  stop(): Promise<void>
}

export function createChainClientFixture(): ChainClientFixture {
  const cleanups: (() => Promise<void>)[] = []
  return {
    async startServer(handlers = {}) {
      const server = await startScriptedRpcServer(7, { eth_getBlockByNumber: answerBlocks(1e6), ...handlers })
      cleanups.push(() => server.close())
      return server
    },
    startClient(urls, options = {}) {
      const events: ChainEvent[] = []
      const client = createChainClient({
        chainId: 7,
        endpoints: urls,
        retryDelayMs: 1,
        retryDelayMaxMs: 4,
        logRangeInitialBlocks: 2_000,
        answerChecks: 0,
        onEvent: (event) => void events.push(event),
        ...options,
      })
      cleanups.push(() => client.close())
      return { client, events }
    },
    async stop() {
      for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
    },
  }
}

/** The `AttestryError` with which a promise rejects; any other error is thrown. */
export async function failureOf(promise: Promise<unknown>): Promise<AttestryError> {
  const error: unknown = await promise.then(
    () => new Error('it did not reject'),
    (reason: unknown) => reason,
  )
  if (error instanceof AttestryError) return error
  throw error
}
