import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { WantedRecord } from '@attestry/core/index/indexQueries.ts'
import { createServer } from '../../testing/createServer.ts'
import { createJournalTail } from '@attestry/core/changes/journalTail.ts'
import { createRequestMeter } from '../metrics/requestMeter.ts'
import { createTestJournal } from '../testing/createTestJournal.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { sampleAttestation, sampleHash } from '../testing/sampleRecords.ts'
import { listenLocally } from '../testing/sendRaw.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { createRecordWaits } from './createRecordWaits.ts'

const full = createSampleIndex()

describe('a request that waits', () => {
  let index = createSampleIndex()
  let meter = createRequestMeter()
  let app = serve()
  let origin = ''

  function serve() {
    return createServer({
      reader: openTestIndex(index),
      meter,
      limits: { waits: { waitingMax: 2, pollIntervalMs: 1 }, load: { inFlightMax: 1 } },
    })
  }

  beforeEach(async () => {
    index = Object.assign(createSampleIndex(), { schemas: [], attestations: [], revocations: {} })
    meter = createRequestMeter()
    app = serve()
    origin = `http://127.0.0.1:${await listenLocally(app)}`
  })
  afterEach(() => app.close())

  const get = (path: string, init: RequestInit = {}) => fetch(origin + path, init)
  const waiting = (count: number) =>
    vi.waitUntil(() => meter.waiting === count, { interval: 1, timeout: 60_000 })

  function fill(): void {
    const { schemas, attestations, revocations } = full
    Object.assign(index, { schemas, attestations, revocations, version: index.version + 1 })
  }

  test.each([
    '/scan/attestations/onchain_evm_11155111_0x3?include=decoded',
    '/scan/schemas/onchain_evm_11155111_0x2?',
    `/scan/transactions/${sampleHash(77)}?`,
  ])('%s is answered as soon as the record is there', async (path) => {
    const answer = get(`${path}&wait=60`)
    await waiting(1)
    // A version without the record wakes nobody.
    index.version += 1
    // A request that waits is no load: another one is answered beside it.
    expect((await get('/scan/stats')).status).toBe(200)
    expect(meter.waiting).toBe(1)
    fill()
    const { status, headers } = await answer
    expect(status).toBe(200)
    expect(headers.get('x-attestry-version')).toBe(String(index.version))
    expect(await (await get(path)).json()).toMatchObject({ success: true })
    expect(meter.waiting).toBe(0)
    const figures = meter.figures().find(({ route }) => route === path.split(/\/[^/]*$/)[0] + '/:id')
    expect(figures?.bucketCounts.at(-1) ?? 0).toBe(0)
  })

  test('is answered with the 404 when its time is over', async () => {
    const response = await get('/scan/schemas/onchain_evm_11155111_0xff?wait=1')
    expect(response.status).toBe(404)
    expect(response.headers.get('x-attestry-version')).toBe(String(index.version))
  })

  test('is forgotten when its client goes away, also on a connection that is used again', async () => {
    const leaving = new AbortController()
    const answer = get('/scan/schemas/onchain_evm_11155111_0x2?wait=60', { signal: leaving.signal })
    await waiting(1)
    leaving.abort()
    await expect(answer).rejects.toThrow('aborted')
    await waiting(0)
  })

  test('is refused if too many wait; those that wait are answered when the server stops', async () => {
    const answers = [1, 2].map((id) => get(`/scan/schemas/onchain_evm_11155111_0x${id}?wait=60`))
    await waiting(2)
    const refused = await get('/scan/schemas/onchain_evm_11155111_0x3?wait=60')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    await app.close()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503])
  })

  test('fails with the error if the index can no longer be read', async () => {
    const answer = get('/scan/schemas/onchain_evm_11155111_0x2?wait=60')
    await waiting(1)
    index.failure = new StoreUnavailableError('gone')
    expect((await answer).status).toBe(503)
  })

  test('does not wait for an id that no record can have, and is refused beyond a minute', async () => {
    expect((await get('/scan/schemas/SPS_x?wait=60')).status).toBe(404)
    for (const wait of ['0', '61', '1.5', '']) {
      const response = await get(`/scan/schemas/onchain_evm_11155111_0x2?wait=${wait}`)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('wait must be a whole number from 1 to 60')
    }
  })
})

test('ten thousand waiting requests cost one look-up for a new version, in parts, and none without one', async () => {
  let version = 1
  let versionsRead = 0
  const lookups: (readonly WantedRecord[])[] = []
  const present = new Set<WantedRecord>()
  const waits = createRecordWaits({
    decodePayload: () => ({ kind: 'undecodable', reason: '' }),
    tail: createJournalTail({
      journal: null,
      version: () => Promise.resolve((versionsRead++, version)),
    }),
    reader: {
      findPresent: (wanted) => {
        lookups.push(wanted)
        return Promise.resolve(wanted.map((record) => present.has(record)))
      },
    },
    meter: createRequestMeter(),
    limits: { pollIntervalMs: 1 },
  })
  const records = Array.from({ length: 10_000 }, (_, index): WantedRecord => {
    return { kind: 'transaction', hash: sampleHash(index) }
  })
  const response = () => new EventEmitter() as unknown as ServerResponse
  const endMs = performance.now() + 60_000
  const found = records.map((record) => waits.wait(record, endMs, response()))
  await expect.poll(() => lookups.flat().length).toBe(10_000)
  expect(lookups.length).toBeLessThanOrEqual(11)
  const before = versionsRead
  await expect.poll(() => versionsRead).toBeGreaterThan(before + 2)
  expect(lookups.flat()).toHaveLength(10_000)
  for (const record of records) present.add(record)
  version += 1
  expect(new Set(await Promise.all(found))).toEqual(new Set([true]))
  expect(lookups.flat()).toHaveLength(20_000)
  waits.close()
})

test('of ten thousand waiting requests only those are looked up whose records have changed', async () => {
  const journal = createTestJournal()
  const lookups: (readonly WantedRecord[])[] = []
  const waits = createRecordWaits({
    decodePayload: () => ({ kind: 'undecodable', reason: '' }),
    reader: {
      findPresent: (wanted) => {
        lookups.push(wanted)
        return journal.findPresent(wanted)
      },
    },
    tail: createJournalTail({ journal, version: () => journal.indexVersion() }),
    meter: createRequestMeter(),
    limits: { pollIntervalMs: 1 },
  })
  try {
    const endMs = performance.now() + 60_000
    const wait = (record: WantedRecord) =>
      waits.wait(record, endMs, new EventEmitter() as unknown as ServerResponse)
    for (let index = 0; index < 9_990; index++) {
      wait({ kind: 'transaction', hash: sampleHash(100_000 + index) }).catch(() => undefined)
    }
    const [first, second] = [sampleAttestation(1), sampleAttestation(2)]
    await journal.make(first)
    const made: WantedRecord[] = [
      { kind: 'attestation', key: second.key },
      { kind: 'transaction', hash: second.transactionHash },
    ]
    const revoked: WantedRecord = { kind: 'transaction', hash: sampleHash(3) }
    const found = [...made, revoked].map(wait)
    await expect.poll(() => lookups.flat().length).toBeGreaterThanOrEqual(9_993)
    lookups.length = 0
    await journal.make(second)
    expect(await Promise.all(found.slice(0, 2))).toEqual([true, true])
    await journal.revoke(first.key.chainId, first.key.localId)
    expect(await found[2]).toBe(true)
    expect(lookups.flat()).toEqual([...made, revoked])
  } finally {
    waits.close()
    await journal.close()
  }
})
