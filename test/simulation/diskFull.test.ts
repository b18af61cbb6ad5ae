import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { withLiveErrors } from '@attestry/host/withLiveErrors.ts'
import { followChain, type FollowedChain } from './followChain.ts'

const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare')
afterEach(() => void prepared.mockClear())
afterAll(() => prepared.mockRestore())

/** Lets the databases that are open grow by so many pages, as a disk with so much room does. */
function leaveRoom(pages: number): void {
  for (const database of new Set(prepared.mock.contexts)) {
    if (!(database instanceof DatabaseSync) || !database.isOpen) continue
    const count = Number(database.prepare('PRAGMA page_count').get()?.page_count)
    database.exec(`PRAGMA max_page_count = ${count + pages}`)
  }
}

test.each([0, 1, 2, 5, 20])(
  'a SQLite index on a disk with room for %i pages loses nothing, says why it waits, and goes on when there is room',
  async (pages) => {
    const index = followChain({
      chain: { seed: 5, blocks: 60 },
      contracts: { name: 'Full', sign: 0, eas: null, transactionSenders: false },
      finality: 4,
    })
    onTestFinished(index.remove)
    await index.settle()
    leaveRoom(pages)
    const before = index.status().indexedBlock
    index.chain.mine(400)
    // Some ranges may fit before the disk is full.
    for (let passes = 0; passes < 20 && index.status().lastError === null; passes++) await index.pass(600_000)
    const { phase, indexedBlock, lastError } = index.status()
    expect(phase).toBe('retrying')
    expect(lastError).toMatch(
      /^the database .*index\.db cannot grow: its disk is full, or that of temporary files \(TMPDIR\)$/,
    )
    expect(index.logged.join('\n')).toContain('cannot grow: its disk is full')
    expect(indexedBlock).toBeGreaterThanOrEqual(before ?? 0)
    const health = await askHealth(index)
    expect(health.healthz).toEqual({ statusCode: 200, data: { status: 'ok' } })
    expect(health.readyz).toMatchObject({
      statusCode: 200,
      data: { status: 'ready', chains: [{ phase, lastError, indexedBlock: expect.any(Number) }] },
    })
    index.chain.reorganise(3, 4)
    leaveRoom(100_000)
    await index.settle()
    expect(index.status()).toMatchObject({ indexedBlock: index.chain.head(), lastError: null })
    expect(await index.compare()).toEqual([])
  },
)

/** The health that a server over the index reports. It knows the indexer's status like a server in the same program. */
async function askHealth(index: FollowedChain) {
  const opened = index.openReader()
  const reader = withLiveErrors(opened, () => [index.status()])
  const app = createServer({ reader, chainIds: [index.chain.chainId] })
  const ask = async (path: string) => {
    const response = await app.inject(path)
    const { data } = response.json<{ readonly data: unknown }>()
    return { statusCode: response.statusCode, data }
  }
  try {
    return { healthz: await ask('/healthz'), readyz: await ask('/readyz') }
  } finally {
    await app.close()
    await opened.close()
  }
}
