import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { createRequestMeter } from '../../pipeline/metrics/requestMeter.ts'
import { createTestJournal, type TestJournal } from '../../pipeline/testing/createTestJournal.ts'
import { sampleAddress, sampleAttestation, sampleChainId } from '../../pipeline/testing/sampleRecords.ts'
import { createTestIndex, openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { createServer } from '../../testing/createServer.ts'

interface Page {
  readonly rows: readonly {
    readonly type: string
    readonly id: string
    readonly data: Record<string, unknown>
  }[]
  readonly next: string
  readonly reset: boolean
}

let journal: TestJournal
let app: FastifyInstance
const meter = createRequestMeter()

beforeEach(() => {
  journal = createTestJournal()
  const index = openTestIndex(createTestIndex())
  const reader = { ...index, indexVersion: () => journal.indexVersion() }
  app = createServer({
    reader,
    journal,
    meter,
    mcp: { verifyProof: () => Promise.reject(new Error()) },
    limits: { waits: { pollIntervalMs: 1 } },
  })
})

afterEach(async () => {
  await app.close()
  await journal.close()
})

const ask = (query: string) => app.inject(`/scan/changes?${query}`)
const page = async (query: string): Promise<Page> => (await ask(query)).json<{ data: Page }>().data
const attestationOf = (number: number, members: Partial<Attestation> = {}) =>
  sampleAttestation(number, members)
const made = ({ rows }: Page) => rows.map(({ type, data }) => [type, data['attestationId']])

describe('/scan/changes', () => {
  test('begins with the newest cursor and continues from it, page by page', async () => {
    await journal.make(attestationOf(1))
    const start = await page('')
    expect(start).toMatchObject({ rows: [], reset: false })
    expect(await page(`since=${start.next}`)).toEqual(start)
    const { chainId, localId } = attestationOf(2).key
    await journal.make(attestationOf(2), attestationOf(3), attestationOf(4))
    await journal.revoke(chainId, localId)
    await journal.revert(chainId)
    const first = await page(`since=${start.next}&size=2`)
    expect(made(first)).toEqual([
      ['attestation', '0x2'],
      ['attestation', '0x3'],
    ])
    const second = await page(`since=${first.next}&size=2`)
    expect(made(second)).toEqual([
      ['attestation', '0x4'],
      ['revert', '0x2'],
    ])
    expect(second.rows[1]?.data).toMatchObject({ record: 'revocation', protocol: 'sign' })
    const third = await page(`since=${second.next}`)
    expect(third.rows).toEqual([])
    expect((await page(`since=${third.next}`)).next).toBe(third.next)
    // The id of a change is a cursor as well.
    expect(made(await page(`since=${first.rows[0]?.id}&size=1`))).toEqual([['attestation', '0x3']])
  })

  test('has the same pages in GraphQL', async () => {
    const pages = async (given: string) => {
      const query = `{ changes${given} { rows { type id recordId attestation { attestationId } } next reset } }`
      const answer = await app.inject({ method: 'POST', url: '/graphql', payload: { query } })
      return answer.json<{ data: { changes: Page & { rows: Record<string, unknown>[] } } }>().data.changes
    }
    const start = await pages('')
    expect(start).toEqual({ rows: [], next: (await page('')).next, reset: false })
    await journal.make(attestationOf(2), attestationOf(3))
    await journal.revoke(sampleChainId, attestationOf(2).key.localId)
    await journal.revert(sampleChainId)
    const first = await pages(`(since: "${start.next}", size: 1)`)
    expect(first.rows).toMatchObject([{ type: 'ATTESTATION', attestation: { attestationId: '0x2' } }])
    const second = await pages(`(since: "${first.next}")`)
    const { rows, next } = await page(`since=${first.next}`)
    expect(second.rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    expect(second.next).toBe(next)
    const others = `(since: "${start.next}", filter: { attester: "${sampleAddress(77)}" })`
    expect(await pages(others)).toMatchObject({ rows: [], reset: false })
    expect(await pages('(since: "1-1")')).toMatchObject({ rows: [], reset: true })
  })

  test.each(['1-1', '9999999999999999-0', '0-0'])(
    'says that changes are missing behind %s',
    async (since) => {
      const response = await ask(`since=${since}`)
      expect(response.json()).toMatchObject({
        message: expect.stringContaining('read your records anew'),
        data: { rows: [], reset: true, next: (await page('')).next },
      })
    },
  )

  test('filters as the stream does, and moves on past changes that no row tells', async () => {
    const { next } = await page('')
    await journal.make(attestationOf(1), attestationOf(2, { attester: sampleAddress(8) }))
    const filtered = await page(`since=${next}&attester=${sampleAddress(8)}`)
    expect(made(filtered)).toEqual([['attestation', '0x2']])
    const nobody = await page(`since=${next}&chainId=1`)
    expect(nobody).toMatchObject({ rows: [], reset: false, next: filtered.next })
  })

  test.each([
    ['since=yesterday', "since must be a cursor of this path such as 1764000000000-0; it was 'yesterday'."],
    ['size=1001', 'size must be a whole number from 1 to 1000'],
    ['wait=31', 'wait must be a whole number from 1 to 30'],
    ['chainId=x', 'chainId'],
  ])('%s is a mistake', async (query, message) => {
    const response = await ask(query)
    expect(response.statusCode).toBe(400)
    expect(response.json<{ message: string }>().message).toContain(message)
  })

  test('waits for a change that passes, and for no other', async () => {
    const { next } = await page('')
    const answer = page(`since=${next}&attester=${sampleAddress(8)}&wait=30`)
    await vi.waitUntil(() => meter.waiting === 1, { interval: 1, timeout: 60_000 })
    await journal.make(attestationOf(1))
    await journal.make(attestationOf(2, { attester: sampleAddress(8) }))
    expect(made(await answer)).toEqual([['attestation', '0x2']])
    expect(meter.waiting).toBe(0)
    expect(await page(`since=${(await answer).next}&wait=1`)).toMatchObject({ rows: [], reset: false })
  })

  test('is a tool of models', async () => {
    const { next } = await page('')
    await journal.make(attestationOf(localNumber))
    const call = { name: 'list_changes', arguments: { since: next, chainId: sampleChainId } }
    const response = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    })
    expect(response.body).toContain(`\\"attestationId\\":\\"${localIdOfCounter(BigInt(localNumber))}\\"`)
  })

  test('is a 503 where the index cannot be read', async () => {
    journal.listChanges = () => Promise.reject(new StoreUnavailableError('gone'))
    expect((await ask('since=1-1')).statusCode).toBe(503)
  })
})

const localNumber = 5
