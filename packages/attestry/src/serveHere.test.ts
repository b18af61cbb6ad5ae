import { expect, test } from 'vitest'
import { configWithoutFile } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { createLogger } from '@attestry/host/createLogger.ts'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { serveHere } from './serveHere.ts'

test('the server listens only when it may, and does not after a failure before', async () => {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 4 })
  const { server } = configWithoutFile({
    environment: {},
    known: knownProtocols,
    parts: [],
    flags: {},
    endpointsNeeded: false,
  })
  const failure = new Error('the indexer ended')
  const serving = serveHere({
    database: { kind: 'sqlite', path },
    server: { ...server, port: 0 },
    chains: [],
    chainIds: [],
    logger: createLogger({ writeLine: () => undefined, human: false, debug: false }),
    wings: { url: 'data:text/javascript,export const wings = []', configs: {} },
    mayListen: Promise.reject(failure),
  })
  try {
    await expect(serving).rejects.toBe(failure)
  } finally {
    await serving.then(({ close }) => close()).catch(() => undefined)
    await remove()
  }
})
