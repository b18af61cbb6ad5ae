import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { StoreReader } from '@attestry/store/reading/openIndexReader.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { histories, playHistory } from '@attestry/store/testing/playHistory.ts'
import { historyRuns } from '@attestry/store/testing/historyShare.ts'
import { createServer } from '../../testing/createServer.ts'

type Json = Record<string, unknown>

/** 100 in `npm test`, 4,000 in `npm run test:soak`. */
const lives = historyRuns(1_000)

/** A copy of an index that knows it by HTTP only. */
function createCopy(ask: (url: string) => Promise<string>) {
  const records = new Map<string, Json>()
  let cursor: string | null = null
  const changes = async (query: string) =>
    (
      JSON.parse(await ask(`/scan/changes?${query}`)) as {
        data: { rows: Json[]; next: string; reset: boolean }
      }
    ).data

  async function startOver(next: string): Promise<void> {
    records.clear()
    for (const kind of ['schemas', 'attestations']) {
      const lines = (await ask(`/scan/export/${kind}.ndjson`)).split('\n').filter((line) => line !== '')
      for (const line of lines) put(kind.slice(0, -1), JSON.parse(line) as Json)
    }
    for (let place = '*'; place !== '';) {
      const { data } = JSON.parse(await ask(`/scan/anchors?cursor=${place}&size=3`)) as {
        data: { rows: Json[]; nextCursor: string | null }
      }
      for (const row of data.rows) records.set(anchorName(row), {})
      place = data.nextCursor ?? ''
    }
    cursor = next
  }

  function put(type: string, record: Json): void {
    records.set(`${type} ${String(record['protocol'])} ${String(record['id'])}`, record)
  }

  function apply({ type, data }: { type: string; data: Json }): void {
    if (type === 'attestation' || type === 'revocation') put('attestation', data)
    else if (type === 'schema') put('schema', data)
    else if (type === 'anchor') records.set(anchorName(data), {})
    else if (data['record'] === 'anchor') records.delete(anchorName(data))
    else {
      const kind = data['record'] === 'schema' ? 'schema' : 'attestation'
      const name = `${kind} ${String(data['protocol'])} ${String(data['id'])}`
      const known = records.get(name)
      if (data['record'] !== 'revocation') records.delete(name)
      else if (known !== undefined) records.set(name, { ...known, revoked: false, revokeReason: null })
    }
  }

  return {
    /** Follows the changes up to the newest. Returns how often the copy was made anew. */
    async follow(size: number): Promise<number> {
      if (cursor === null) await startOver((await changes('')).next)
      for (let resets = 0; ;) {
        const page = await changes(`since=${cursor}&size=${size}`)
        expect(page.rows.length).toBeLessThanOrEqual(size)
        if (page.reset) {
          await startOver(page.next)
          resets++
          continue
        }
        for (const row of page.rows) apply(row as { type: string; data: Json })
        if (page.next === cursor) return resets
        cursor = page.next
      }
    },
    contents: () => [...records].map(([name, record]) => [name, told(record)]).sort(byName),
  }
}

function anchorName({ chainId, protocol, type, value, transactionHash }: Json): string {
  return `anchor ${JSON.stringify([chainId, protocol, type, value, transactionHash])}`
}

/** The members that a row of an export and a change share. */
function told(record: Json): Json {
  const names = [
    'attester',
    'recipients',
    'data',
    'attestTimestamp',
    'revoked',
    'revokeReason',
    'linkedAttestation',
  ]
  const shared = ['registrant', 'transactionHash', 'schemaId', 'revocable']
  const isSchema = 'registrant' in record
  const told = isSchema ? shared : [...names, 'transactionHash', 'schemaId']
  return Object.fromEntries(told.map((name) => [name, record[name]]))
}

function byName([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1
}

test('a copy that is kept by pages of changes equals the index after every life', async () => {
  let [resets, reverts] = [0, 0]
  let reader: StoreReader | null = null
  // One server for all lives; a process that starts anew has nothing but another reader.
  const present = new Proxy({} as StoreReader, { get: (_, name) => Reflect.get(reader ?? {}, name) })
  const app = createServer({ reader: present, journal: present, keptBytesMax: 0 })
  async function ask(url: string): Promise<string> {
    await nextTurn()
    const { statusCode, payload } = await app.inject(url)
    expect(statusCode).toBe(200)
    return payload
  }
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.constantFrom(1, 3, 1_000),
      fc.constantFrom(3, 1_000_000),
      fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
      async (history, size, rowsMax, looks) => {
        const folder = mkdtempSync(join(tmpdir(), 'attestry-pull-'))
        const path = join(folder, 'index.db')
        migrateSqlite(path)
        reader = openSqliteReader(path)
        const begin = () => openSqliteWriter(path, { journal: { rowsMax, ageMaxMs: 3_600_000 } })
        let writer = begin()
        try {
          const copy = createCopy(ask)
          let chains: Awaited<ReturnType<typeof playHistory>> = new Map()
          for (const [index, act] of history.entries()) {
            chains = await playHistory(writer, [act], chains)
            if (act.revert > 0) reverts++
            if (looks[index] === true) resets += await copy.follow(size)
            else {
              await Promise.all([writer.close(), reader.close()])
              reader = openSqliteReader(path)
              writer = begin()
            }
          }
          resets += await copy.follow(size)
          const fresh = createCopy(ask)
          await fresh.follow(1_000)
          expect(copy.contents()).toEqual(fresh.contents())
        } finally {
          await Promise.all([writer.close(), reader.close()])
          rmSync(folder, { recursive: true })
        }
      },
    ),
    { numRuns: lives, seed: 23 },
  )
  await app.close()
  expect(resets).toBeGreaterThan(lives / 12)
  expect(reverts).toBeGreaterThan(lives / 3)
})
