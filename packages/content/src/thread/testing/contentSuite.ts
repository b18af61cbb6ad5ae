import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isNightly } from '@attestry/test/harness/nightly.ts'
import { createServer as createApi } from '@attestry/server/testing/createServer.ts'
import { createSampleIndex, sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleChainId,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { createContentJournal } from '@attestry/server/interfaces/events/contentJournal.ts'
import { createContentAgents } from '../../addressGuard.ts'
import { contentLayout, openContentStore, type ContentStore } from '../../contentStore.ts'
import { createHostPatience } from '../../hostPatience.ts'
import { createDiscovery, type DiscoverySources } from '../../discoverContent.ts'
import { runContent } from '../../runContent.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { localIdOfCounter, type LocalId } from '@attestry/core/model/compositeId.ts'
import { contentIdOfFile } from '@attestry/core/model/contentId.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { parquetReadObjects } from 'hyparquet'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import { textOfVictim } from './textOfVictim.ts'
import type { BesideDatabase, BesideLayout } from '@attestry/store/beside/besideDatabase.ts'

const everyTurn = { limit: 10, ofOwnerMax: 10, ofHostMax: 2, fullOwners: [], fullHosts: [] }

/** Content from the record to the answer, over either database. */
export function describeContent(
  name: string,
  create: () => Promise<{
    readonly config: DatabaseConfig
    readonly open: (layout: BesideLayout) => BesideDatabase
    readonly remove: () => Promise<void>
  }>,
  { hasPages }: { readonly hasPages: boolean },
): void {
  const beginning = { sequence: 0, offset: 0 }
  const texts = ['{"level":1}', '{"level":2,"html":"<script>alert(1)</script>"}']
  const [first = '', second = ''] = texts.map((text) => contentIdOfFile(Buffer.from(text)))
  const absent = contentIdOfFile(Buffer.from('{"level":3}'))
  const pointers = [first, second, absent, 'no identifier']
  const point = (text: string) => encodeAbiParameters([{ type: 'string' }], [text]) as Hex

  describe(`content over ${name}`, () => {
    let database: Awaited<ReturnType<typeof create>>
    let store: ContentStore
    let gateway: Server
    let base = ''
    let served: ReadonlyMap<string, string>
    let asked = 0
    let nowMs = 0
    const fetching = {
      ...createContentAgents(60_000),
      hosts: createHostPatience(),
      arweave: [],
      https: false,
      timeoutMs: 60_000,
    }
    const index = createSampleIndex()
    index.attestations = [
      ...index.attestations,
      ...pointers.map((text, at) => sampleAttestation(500 + at, { dataLocation: 'IPFS', data: point(text) })),
    ]
    // Fields on chain and behind pointers, under one schema.
    const typed = localIdOfCounter(30n)
    const fields = [
      { name: 'level', type: 'uint8' },
      { name: 'country', type: 'string' },
      { name: 'who', type: 'address[]' },
    ]
    const account = sampleAddress(7)
    const people = [
      { level: 3, country: 'FR', who: [checksumAddress(account)] },
      { level: '3', country: 'DE' },
      { level: 200, country: ['FR', 'DE'], who: account.toLowerCase() },
      { level: 'high', country: 7 },
    ].map((each) => JSON.stringify(each))
    const onChain = (level: number, country: string) =>
      encodeAbiParameters(parseAbiParameters('uint8,string,address[]'), [level, country, [account]]) as Hex
    index.schemas = [
      ...index.schemas,
      sampleSchema(30, { definition: { name: 'People', description: '', fields } }),
    ]
    index.attestations = [
      ...index.attestations,
      ...people.map((text, at) =>
        sampleAttestation(600 + at, {
          schemaLocalId: typed,
          dataLocation: 'IPFS',
          data: point(`ipfs://${contentIdOfFile(Buffer.from(text))}`),
        }),
      ),
      sampleAttestation(610, { schemaLocalId: typed, data: onChain(3, 'FR') }),
      sampleAttestation(611, { schemaLocalId: typed, data: onChain(4, 'DE') }),
    ]
    // Fields of other protocols that lead to content.
    const uid = (number: number) => sampleHash(number) as string as LocalId
    const elsewhere = '0xa288e257097a4bed4166c002cb6911713edacc88e30b6cb2b0104df9c365327d' as LocalId
    const others = [
      { protocol: 'eas', localId: uid(40), fields: 'string title,string metadata' },
      { protocol: 'verax', localId: elsewhere, fields: 'bytes32 schemaId,string uri' },
    ] as const
    index.chains = [sampleChain({ protocols: ['sign', 'eas', 'verax'] })]
    index.schemas = [
      ...index.schemas,
      ...others.map(({ protocol, localId, fields: text }, at) =>
        sampleSchema(40 + at, {
          protocol,
          key: { chainId: sampleChainId, localId },
          definition: {
            name: protocol,
            description: '',
            fields: parseAbiParameters(text),
          },
        }),
      ),
    ]
    index.attestations = [
      ...index.attestations,
      ...others.map(({ protocol, localId, fields: text }, at) =>
        sampleAttestation(700 + at, {
          protocol,
          key: { chainId: sampleChainId, localId: uid(700 + at) },
          schemaLocalId: localId,
          data: encodeAbiParameters(parseAbiParameters(text), [
            protocol === 'eas' ? 'https://example.org/ipfs' : uid(1),
            `ipfs://${first}`,
          ] as never) as Hex,
        }),
      ),
    ]
    const reader = openTestIndex(index)

    beforeEach(async () => {
      database = await create()
      store = openContentStore(database.open(contentLayout))
      served = new Map([
        [first, texts[0] ?? ''],
        [second, texts[1] ?? ''],
        ...people.map((text) => [contentIdOfFile(Buffer.from(text)), text] as const),
      ])
      asked = 0
      nowMs = 1_800_000_000_000
      gateway = createServer(({ url = '' }, response) => {
        asked += 1
        const text = served.get(url.replace(/^\/ipfs\/|\?.*$/g, ''))
        response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html' })
        response.end(text)
      })
      gateway.listen(0, '127.0.0.1')
      await once(gateway, 'listening')
      base = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/ipfs/`
    })
    afterEach(async () => {
      gateway.closeAllConnections()
      gateway.close()
      await store.close()
      await database.remove()
    })

    /** Runs the loops until a condition holds. */
    async function runUntil(
      isDone: () => Promise<boolean>,
      { ipfs = [base], over = store }: { ipfs?: readonly string[]; over?: ContentStore } = {},
    ): Promise<void> {
      const stop = new AbortController()
      const running = runContent(
        {
          store: over,
          options: { ...fetching, ipfs, maxBytes: 4_096 },
          totalBytesMax: 1_000_000,
          discover: discoveryOf({ reader, store: over }),
          now: () => nowMs,
          sleep: (delayMs, signal) => delay(Math.min(delayMs, 5), undefined, { signal }),
          log: () => undefined,
        },
        stop.signal,
      )
      await expect.poll(isDone).toBe(true)
      stop.abort()
      await running
    }

    const discoveryOf = (sources: Pick<DiscoverySources, 'reader' | 'store'>) =>
      createDiscovery({ ...sources, decodePayload: decodeAttestedPayload, now: () => nowMs })

    const stateOf = async (id: string) => (await store.find([`ipfs:${id}`])).get(`ipfs:${id}`)?.state

    test('is fetched, verified and shown with its record, never by its own media type', async () => {
      const api = createApi({
        reader,
        decodePayload: decodeAttestedPayload,
        content: store,
      })
      const ask = async (number: number) => {
        const id = `onchain_evm_${sampleChainId}_0x${number.toString(16)}`
        const { headers, json } = await api.inject(`/scan/attestations/${id}?include=content`)
        expect(headers['content-type']).toBe('application/json; charset=utf-8')
        return json<{ data: { content: unknown } }>().data.content
      }
      expect(await ask(500)).toEqual({
        state: 'pending',
        sentence: 'It was not fetched yet.',
        pointer: first,
        json: null,
      })
      await runUntil(
        async () => (await stateOf(absent)) === 'missing' && (await stateOf(second)) === 'verified',
      )
      expect(await ask(500)).toEqual({ state: 'verified', sentence: '', pointer: first, json: { level: 1 } })
      expect(await ask(501)).toMatchObject({ json: { html: '<script>alert(1)</script>' } })
      expect(await ask(502)).toMatchObject({
        state: 'missing',
        sentence: expect.stringMatching(/does not have it\.$/),
      })
      expect(await ask(503)).toMatchObject({ state: 'refused', pointer: 'no identifier' })
      expect(await ask(1)).toBeNull()
      const { json } = await api.inject(
        '/scan/attestations?dataLocation=IPFS&include=decoded,protocol,content',
      )
      const { rows } = json<{ data: { rows: readonly { content: { state: string } }[] } }>().data
      expect(rows.map(({ content }) => content.state).toSorted()).toEqual(
        expect.arrayContaining(['missing', 'refused', 'verified']),
      )
      await api.close()
    })

    test('of many megabytes is read as far as an answer or a slice of events shows it', async () => {
      const cids = [first, second, absent, ...people.map((text) => contentIdOfFile(Buffer.from(text)))]
      const json = JSON.stringify({ text: 'x'.repeat(1_048_576) })
      const numbers = [500, 501, 502, 600, 601, 602, 603]
      const named = cids.map((text, at) => ({
        key: `ipfs:${text}`,
        owner: '',
        record: {
          chainId: sampleChainId,
          protocol: 'sign',
          localId: localIdOfCounter(BigInt(numbers[at] ?? 0)),
        },
        schemaId: '',
        pathText: 'contentId',
        text,
      }))
      const place = { chainId: sampleChainId, timestamp: 0, position: 0 }
      await store.note({ pointers: named, keys: [] }, { ...place, location: 'IPFS', place }, nowMs)
      await store.settle(
        named.map(({ key }) => ({ key, state: 'verified', sentence: '', json, attempts: 1, nextAt: null })),
        2 ** 30,
      )
      const opened = database.open(contentLayout)
      let [characters, ofStatement] = [0, 0]
      const counted = openContentStore({
        ...opened,
        all: async (sql, ...parameters) => {
          const rows = await opened.all<never>(sql, ...parameters)
          const length = JSON.stringify(rows).length
          characters += length
          ofStatement = Math.max(ofStatement, length)
          return rows
        },
      })
      const api = createApi({ reader, decodePayload: decodeAttestedPayload, content: counted })
      const answer = await api.inject('/scan/attestations?dataLocation=IPFS&include=content&size=100')
      const { rows } = answer.json<{
        data: { rows: readonly { content: { json: unknown; state: string; sentence: string } }[] }
      }>().data
      const verified = rows.map(({ content }) => content).filter(({ state }) => state === 'verified')
      expect(verified.filter((content) => content.json !== null)).toHaveLength(2)
      expect(verified.filter((content) => /used up the content/.test(content.sentence))).toHaveLength(5)
      expect(characters).toBeLessThan(3 * 1_048_576)
      expect(ofStatement).toBeLessThan(1.5 * 1_048_576)
      await api.close()
      // A stream has each of them, with its content.
      const journal = createContentJournal(reader, decodeAttestedPayload, counted)
      const told: string[] = []
      for (let after = beginning, hasMore = true; hasMore;) {
        const slice = await journal.listChanges(after, 100)
        ;({ next: after, hasMore } = slice)
        const texts = slice.changes.map((change) =>
          change.kind === 'content' ? (change.content?.json ?? '') : '',
        )
        expect(texts.join('').length).toBeLessThan(1.5 * 1_048_576)
        told.push(...texts)
      }
      expect(told).toHaveLength(7)
      for (const text of told) expect(text).toContain('xxx')
      await counted.close()
    })

    test('is filtered and grouped as payloads are, by the types of the schema', async () => {
      const api = createApi({
        reader,
        decodePayload: decodeAttestedPayload,
        listFieldPaths,
        content: store,
      })
      const schemaId = `onchain_evm_${sampleChainId}_${typed}`
      const ask = async (path: string, query: string) => {
        const { json } = await api.inject(`${path}?schemaId=${schemaId}&size=100&${query}`)
        const answer = json<{ data: { total: number; rows: readonly { attestationId: string }[] } }>()
        return answer.data
      }
      const found = async (query: string) => {
        const { total, rows } = await ask('/scan/attestations', query)
        expect(rows).toHaveLength(total)
        return rows.map(({ attestationId }) => Number(attestationId)).toSorted((a, b) => a - b)
      }
      // An answer from before the content is known is not kept.
      expect(await found('field[level]=3')).toEqual([610])
      expect(await found('content=pending')).toEqual([])
      await runUntil(async () => {
        const known = await store.findInState('verified', schemaId)
        return known?.length === people.length && (await stateOf(absent)) === 'missing'
      })
      expect(await found('field[level]=3')).toEqual([600, 601, 610])
      expect(await found('field[level]=03')).toEqual([600, 601, 610])
      expect(await found('field[level][gte]=4')).toEqual([602, 611])
      expect(await found('field[country][in]=["FR","7"]')).toEqual([600, 602, 603, 610])
      expect(await found('field[country][startsWith]=D')).toEqual([601, 602, 611])
      expect(await found(`field[who]=${account}`)).toEqual([600, 602, 610, 611])
      expect(await found('field[level]=3&field[country]=FR')).toEqual([600, 610])
      expect(await found('field[level]=3&dataLocation=IPFS')).toEqual([600, 601])
      expect(await found('content=verified')).toEqual([600, 601, 602, 603])
      expect(await found('content=verified&field[level]=3')).toEqual([600, 601])
      expect(await found('content=missing')).toEqual([])
      const groups = async (by: string, more = '') =>
        (await ask('/scan/aggregate/attestations', `by=${by}${more}`)).rows
      expect(await groups('field[level]')).toEqual([
        { key: '3', count: 3 },
        { key: '200', count: 1 },
        { key: '4', count: 1 },
      ])
      expect(await groups('field[who]')).toEqual([{ key: checksumAddress(account), count: 4 }])
      expect(await groups('field[country]', '&content=verified')).toEqual([
        { key: 'DE', count: 2 },
        { key: 'FR', count: 2 },
        { key: '7', count: 1 },
      ])
      const { json } = await api.inject({
        method: 'POST',
        url: '/graphql',
        payload: {
          query: `{ attestations(filter: {schemaId: "${schemaId}", content: verified, fields: [{name: "level", gt: "3"}]}) { totalCount } }`,
        },
      })
      expect(json()).toEqual({ data: { attestations: { totalCount: 1 } } })
      const other = await api.inject('/scan/attestations?content=missing')
      expect(other.json()).toMatchObject({ data: { total: 1, rows: [{ attestationId: '0x1f6' }] } })
      const refused = await api.inject(
        '/scan/attestations?content=refused&dataLocation=IPFS&attestedFrom=1700100500',
      )
      expect(refused.json()).toMatchObject({ data: { total: 1, rows: [{ attestationId: '0x1f7' }] } })
      await api.close()
      const without = createApi({ reader })
      expect((await without.inject('/scan/attestations?content=missing')).json()).toMatchObject({
        statusCode: 400,
        message: 'content is a filter of servers that fetch content; this one fetches none.',
      })
      await without.close()
    })

    test('is part of exports where it is asked for', async () => {
      const api = createApi({ reader, decodePayload: decodeAttestedPayload, listFieldPaths, content: store })
      await runUntil(
        async () => (await stateOf(second)) === 'verified' && (await stateOf(absent)) === 'missing',
      )
      const ask = (form: string) =>
        api.inject(`/scan/export/attestations.${form}?protocol=sign&attestedFrom=1700100500&include=content`)
      const lines = (await ask('ndjson')).body.trim().split('\n')
      const rows = lines.map(
        (line) => JSON.parse(line) as { content: { state: string; json: unknown } | null },
      )
      expect(rows.slice(0, 4).map(({ content }) => content)).toMatchObject([
        { state: 'verified', json: { level: 1 } },
        { state: 'verified', json: { level: 2 } },
        { state: 'missing', json: null },
        { state: 'refused', pointer: 'no identifier' },
      ])
      expect(rows.at(-1)?.content).toBeNull()
      const csv = (await ask('csv')).body.split('\r\n')
      expect(csv[0]).toMatch(/,contentState,content$/)
      expect(csv[1]).toMatch(/,verified,"\{""level"":1\}"$/)
      expect(csv[3]).toMatch(/,missing,$/)
      const { rawPayload } = await ask('parquet')
      const file = Uint8Array.from(rawPayload).buffer
      expect(await parquetReadObjects({ file })).toMatchObject([
        { content_state: 'verified', content_json: '{"level":1}' },
        ...rows.slice(1).map(({ content }) => ({ content_state: content?.state ?? null })),
      ])
      await api.close()
    })

    test('is that of fields of EAS and Verax as well, and filtered by names of its own', async () => {
      const api = createApi({ reader, decodePayload: decodeAttestedPayload, listFieldPaths, content: store })
      // Sign Protocol is walked first, and names the same content.
      const isFound = async ({ localId }: (typeof others)[number]) =>
        (await store.findInState('verified', `onchain_evm_${sampleChainId}_${localId}`))?.length === 1
      await runUntil(async () => (await Promise.all(others.map(isFound))).every(Boolean))
      for (const [at, { localId, protocol }] of others.entries()) {
        const about = `schemaId=onchain_evm_${sampleChainId}_${localId}&protocol=${protocol}`
        const { json } = await api.inject(`/scan/attestations?${about}&field[level]=1&include=content`)
        expect(json()).toMatchObject({
          data: {
            total: 1,
            rows: [
              { attestationId: uid(700 + at), content: { state: 'verified', pointer: `ipfs://${first}` } },
            ],
          },
        })
        const groups = await api.inject(`/scan/aggregate/attestations?${about}&by=field[level]`)
        expect(groups.json()).toMatchObject({ data: { rows: [{ key: '1', count: 1 }] } })
        const unknown = await api.inject(`/scan/attestations?${about}&field[lvel]=1`)
        expect(unknown.statusCode).toBe(400)
      }
      await api.close()
    })

    test('is streamed when it arrives, once for each record, also to a client that reconnects', async () => {
      const api = createApi({ reader, decodePayload: decodeAttestedPayload, listFieldPaths, content: store })
      const address = await api.listen({ port: 0, host: '127.0.0.1' })
      /** The next events of a stream. */
      const take = async (count: number, query = '') => {
        const stop = new AbortController()
        const response = await fetch(`${address}/scan/events/content?${query}`, { signal: stop.signal })
        const taken: { readonly event: string; readonly id: string; readonly number: number }[] = []
        let text = ''
        for await (const bytes of response.body ?? []) {
          text += Buffer.from(bytes).toString()
          const events = [...text.matchAll(/event: (.+)\nid: (.+)\ndata: (.+)\n\n/g)]
          for (const [, event = '', id = '', data = ''] of events.slice(taken.length)) {
            const { attestationId = '', content } = JSON.parse(data) as {
              readonly attestationId?: string
              readonly content?: { readonly state: string }
            }
            taken.push({ event: `${event} ${content?.state}`, id, number: Number(attestationId) })
          }
          if (taken.length >= count) break
        }
        stop.abort()
        return taken
      }
      const live = take(10, 'lastEventId=0-0')
      const ofSchema = take(people.length, `schemaId=onchain_evm_${sampleChainId}_${typed}&lastEventId=0-0`)
      await runUntil(
        async () =>
          (await stateOf(absent)) === 'missing' && (await store.listArrivals(beginning, 11)).length === 10,
      )
      const events = await live
      const numbers = events.map(({ number }) => number).toSorted((a, b) => a - b)
      expect(numbers.filter((number) => number < 1_000)).toEqual([3, 500, 501, 503, 600, 601, 602, 603])
      expect(events.find(({ number }) => number === 503)?.event).toBe('content refused')
      expect(events.find(({ number }) => number === 600)?.event).toBe('content verified')
      expect((await ofSchema).map(({ number }) => number)).toEqual(
        events.map(({ number }) => number).filter((number) => number >= 600 && number < 1_000),
      )
      expect(await take(7, `lastEventId=${events[2]?.id}`)).toEqual(events.slice(3))
      expect(await take(1, 'lastEventId=9000-1')).toMatchObject([{ event: 'reset undefined' }])
      // Later content is streamed on arrival, and a record that names known content once it is walked.
      served = new Map([...served, [absent, '{"level":3}']])
      nowMs += 61_000
      const last = events.at(-1)?.id
      await runUntil(async () => (await stateOf(absent)) === 'verified')
      const record = { chainId: sampleChainId, protocol: 'sign', localId: localIdOfCounter(1n) } as const
      const pointer = {
        key: `ipfs:${first}`,
        owner: '',
        record,
        schemaId: '',
        pathText: 'contentId',
        text: first,
      }
      const place = { chainId: sampleChainId, timestamp: 0, position: 0 }
      const walk = { chainId: sampleChainId, location: 'IPFS', place }
      await store.note({ pointers: [pointer], keys: [] }, walk, nowMs)
      await store.note({ pointers: [pointer], keys: [] }, walk, nowMs)
      expect((await take(2, `lastEventId=${last}`)).map(({ number }) => number)).toEqual([502, 1])
      await api.close()
    })

    test('is fetched once, and retried with growing pauses if it is missing', async () => {
      const ids = [...served.keys(), absent]
      await runUntil(async () => {
        const found = await store.find(ids.map((id) => `ipfs:${id}`))
        return ids.every((id) => (found.get(`ipfs:${id}`)?.state ?? 'pending') !== 'pending')
      })
      const before = asked
      await runUntil(async () => (await stateOf(absent)) === 'missing')
      expect(asked).toBe(before)
      nowMs += 61_000
      served = new Map([...served, [absent, '{"level":3}']])
      await runUntil(async () => (await stateOf(absent)) === 'verified')
      expect(asked).toBe(before + 1)
    })

    test('is asked for again when the gateways change', async () => {
      await runUntil(async () => (await stateOf(absent)) === 'missing')
      served = new Map([...served, [absent, '{"level":3}']])
      await runUntil(async () => (await stateOf(absent)) === 'missing')
      expect(await store.take('gateways', everyTurn, nowMs, 1)).toEqual([])
      await runUntil(async () => (await stateOf(absent)) === 'verified', { ipfs: [base, base] })
    })

    // Two processes with other gateways would undo each other with each walk.
    test('has its gateways noted once for a start, and again only after a failure', async () => {
      let [walks, notes] = [0, 0]
      const over: ContentStore = {
        ...store,
        noteGateways: async (gateways, at) => {
          notes += 1
          if (notes === 1) throw new Error('the database is away')
          await store.noteGateways(gateways, at)
        },
        findWalk: (chainId, location) => {
          walks += 1
          return store.findWalk(chainId, location)
        },
      }
      await runUntil(() => Promise.resolve(walks >= 6), { over })
      expect(notes).toBe(2)
    })

    test('is noted in one write a walk, and in none where nothing is new', async () => {
      const writes: (readonly (string | null)[])[] = []
      const over: ContentStore = {
        ...store,
        note: async (named, walk, at) => {
          writes.push(named.pointers.map(({ key }) => key))
          await store.note(named, walk, at)
        },
      }
      // All records are older than what a reorganisation may replace.
      const settled: DiscoverySources['reader'] = {
        sliceAttestations: (...question) => reader.sliceAttestations(...question),
        sliceAgentUris: (...question) => reader.sliceAgentUris(...question),
        listChains: async () =>
          (await reader.listChains()).map((chain) => ({
            ...chain,
            status: { ...chain.status, indexedTimestamp: unixSeconds(1_800_000_000) },
          })),
      }
      const stop = new AbortController()
      const walk = discoveryOf({ reader: settled, store: over })
      const discover = () => walk(stop.signal)
      await discover()
      // One for Sign Protocol, EAS and Verax each.
      const walked = [[`ipfs:${first}`, `ipfs:${second}`], [`ipfs:${first}`], [`ipfs:${first}`]]
      expect(writes).toEqual(walked.map((keys) => expect.arrayContaining(keys) as unknown))
      await discover()
      expect(writes).toHaveLength(walked.length)
    })

    // SQLite refuses to grow beyond a number of pages as it does on a full disk.
    test.runIf(hasPages)(
      'is kept once there is room again after the disk was full, and told of once',
      async () => {
        const beside = database.open(contentLayout)
        const limited = openContentStore(beside)
        const setPages = (pages: number) =>
          beside.transact(async ({ all }) => void (await all(`PRAGMA max_page_count = ${pages}`)))
        const text = JSON.stringify({ level: 2, text: 'x'.repeat(50_000) })
        const long = contentIdOfFile(Buffer.from(text))
        served = new Map([[long, text]])
        const record = { chainId: sampleChainId, protocol: 'sign', localId: localIdOfCounter(1n) } as const
        const pointer = {
          key: `ipfs:${long}`,
          owner: '',
          record,
          schemaId: '',
          pathText: 'contentId',
          text: long,
        }
        const place = { chainId: sampleChainId, timestamp: 0, position: 0 }
        await limited.note(
          { pointers: [pointer], keys: [] },
          { chainId: sampleChainId, location: 'IPFS', place },
          nowMs,
        )
        await setPages(1)
        const told: string[] = []
        const stop = new AbortController()
        const running = runContent(
          {
            store: limited,
            options: { ...fetching, ipfs: [base], maxBytes: 65_536 },
            totalBytesMax: 1_000_000,
            discover: () => Promise.resolve(),
            now: () => nowMs,
            sleep: (delayMs, signal) => delay(Math.min(delayMs, 5), undefined, { signal }),
            log: (_level, message) => void told.push(message),
          },
          stop.signal,
        )
        await expect.poll(() => told).toEqual(expect.arrayContaining([expect.stringMatching(/full/)]))
        expect((await store.find([`ipfs:${long}`])).get(`ipfs:${long}`)?.state).toBe('pending')
        await setPages(1_000_000)
        nowMs += 600_000
        await expect.poll(() => stateOf(long)).toBe('verified')
        stop.abort()
        await running
        expect(await store.listArrivals(beginning, 5)).toMatchObject([{ record }])
        await limited.close()
      },
    )

    test('that came unverified is found by the values of what came last', async () => {
      const record = { chainId: sampleChainId, protocol: 'sign', localId: localIdOfCounter(1n) } as const
      const key = `arweave:${'a'.repeat(43)}`
      const pointer = { key, owner: '', record, schemaId: '', pathText: 'contentId', text: 'a'.repeat(43) }
      const place = { chainId: sampleChainId, timestamp: 0, position: 0 }
      await store.note(
        { pointers: [pointer], keys: [] },
        { chainId: sampleChainId, location: 'ARWEAVE', place },
        nowMs,
      )
      const settled = { key, sentence: '', attempts: 1, nextAt: null }
      await store.settle([{ ...settled, state: 'unverified', json: '{"level":1,"more":2}' }], 1_000)
      await store.settle([{ ...settled, state: 'verified', json: '{"level":2}' }], 1_000)
      const found = async (path: string, value: string) =>
        (await store.findFulfilling({ path: [path], operator: 'equals', values: [value] }, null, null))
          ?.length
      expect([await found('level', '1'), await found('more', '2'), await found('level', '2')]).toEqual([
        0, 0, 1,
      ])
    })

    test.runIf(isNightly || name === 'SQLite')(
      'is neither lost nor told of twice where the process is killed again and again',
      async () => {
        const count = isNightly ? 600 : 90
        const files = Array.from({ length: count }, (_, number) => textOfVictim(number))
        served = new Map(files.map((text) => [contentIdOfFile(Buffer.from(text)), text]))
        const beside = database.open(contentLayout)
        const read = async (sql: string) => (await beside.all(sql.replaceAll('@', beside.prefix)))[0]
        const countOf = async (state: string) =>
          Number((await read(`SELECT count(*) FROM @content WHERE state = '${state}'`))?.[0])
        const args = [JSON.stringify(database.config), base, String(count)]
        const folder = mkdtempSync(join(tmpdir(), 'attestry-victim-'))
        const start = () =>
          spawn(process.execPath, [new URL('contentVictim.ts', import.meta.url).pathname, ...args], {
            stdio: ['ignore', 'ignore', 'inherit'],
            env: { ...process.env, TMPDIR: folder },
          })
        let [known, noted] = [0, 0]
        for (const answers of [5, count / 3]) {
          const victim = start()
          const from = asked
          await expect.poll(() => asked - from, { interval: 1 }).toBeGreaterThan(answers)
          victim.kill('SIGKILL')
          await once(victim, 'exit')
          // Kept content stays, and the rest still waits.
          const kept = await countOf('verified')
          expect(kept).toBeGreaterThanOrEqual(known)
          const total = kept + (await countOf('pending'))
          expect(total).toBeGreaterThanOrEqual(noted)
          ;[known, noted] = [kept, total]
          // The lease of what was being fetched ends.
          await beside.transact(async (statements) => {
            const sql = `UPDATE ${beside.prefix}content SET next_at = 0 WHERE next_at IS NOT NULL RETURNING state`
            expect(await statements.all(sql)).toHaveLength(total - kept)
          })
        }
        expect(known).toBeLessThan(count)
        const last = start()
        await expect.poll(() => countOf('verified')).toBe(count)
        last.kill('SIGKILL')
        await once(last, 'exit')
        expect(await read('SELECT min(attempts), max(attempts) FROM @content')).toEqual([1, 1])
        expect(await read('SELECT count(*) FROM @pointer')).toEqual([count])
        expect(await read('SELECT count(*) FROM @leaf')).toEqual([2 * count])
        const arrivals = await store.listArrivals(beginning, 2 * count)
        expect(new Set(arrivals.map(({ record }) => record.localId)).size).toBe(count)
        expect(arrivals).toHaveLength(count)
        await beside.close()
        rmSync(folder, { recursive: true, force: true })
      },
    )

    test('that was taken before a crash is taken again after its lease', async () => {
      await discoveryOf({ reader, store })(new AbortController().signal)
      const taken = await store.take('gateways', everyTurn, nowMs, 60_000)
      expect(taken.length).toBeGreaterThanOrEqual(3)
      const again = openContentStore(database.open(contentLayout))
      expect(await again.take('gateways', everyTurn, nowMs, 60_000)).toEqual([])
      expect(await again.take('gateways', everyTurn, nowMs + 60_000, 60_000)).toHaveLength(taken.length)
      await again.close()
    })

    /** Notes content that accounts name, without records. */
    const noteOf = async (owner: string, ...keys: readonly string[]) => {
      const place = { chainId: sampleChainId, timestamp: 0, position: 0 }
      await store.note(
        { pointers: [], keys: keys.map((key) => ({ key, owner })) },
        { chainId: sampleChainId, location: 'agents', place },
        nowMs,
      )
    }

    test('is taken in turns of the accounts and hosts that name it', async () => {
      const dead = Array.from({ length: 40 }, (_, number) => `ipfs:dead-${number}`)
      await noteOf('0xaa', ...dead)
      nowMs += 1
      await noteOf('0xbb', 'ipfs:late', 'https://late.example/1')
      const slow = Array.from({ length: 5 }, (_, number) => `https://slow.example/${number}`)
      for (const [number, url] of slow.entries()) await noteOf(`0xc${number}`, url)
      const ipfs = await store.take('gateways', { ...everyTurn, limit: 3 }, nowMs, 1_000)
      expect(ipfs.map(({ owner }) => owner)).toEqual(['0xaa', '0xbb', '0xaa'])
      const hosts = await store.take('hosts', everyTurn, nowMs, 1_000)
      expect(hosts.map(({ host }) => host).toSorted()).toEqual([
        'late.example',
        'slow.example',
        'slow.example',
      ])
      const full = { ...everyTurn, fullOwners: ['0xaa'], fullHosts: ['slow.example'] }
      expect(await store.take('gateways', full, nowMs, 1_000)).toEqual([])
      expect(await store.take('hosts', full, nowMs, 1_000)).toEqual([])
    })

    test('of one account with a gateway that answers nothing for it leaves places to others', async () => {
      const held: ServerResponse[] = []
      const silent = createServer(({ url = '' }, response) => {
        if (url.includes(first)) response.end(served.get(first))
        else held.push(response)
      })
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      const silentBase = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/ipfs/`
      const dead = Array.from(
        { length: 640 },
        (_, number) => `ipfs:${contentIdOfFile(Buffer.from(`{"dead":${number}}`))}`,
      )
      await noteOf('0xaa', ...dead)
      const stop = new AbortController()
      const running = runContent(
        {
          store,
          options: { ...fetching, ipfs: [silentBase], maxBytes: 4_096 },
          totalBytesMax: 1_000_000,
          discover: () => Promise.resolve(),
          now: () => nowMs,
          sleep: (delayMs, signal) => delay(Math.min(delayMs, 5), undefined, { signal }),
          log: () => undefined,
        },
        stop.signal,
      )
      await expect.poll(() => held.length).toBe(16)
      await noteOf('0xbb', `ipfs:${first}`)
      await expect.poll(() => stateOf(first)).toBe('verified')
      expect(held).toHaveLength(16)
      stop.abort()
      silent.closeAllConnections()
      silent.close()
      await running
    })

    test('takes a share of all bytes for each account that names it', async () => {
      const json = JSON.stringify({ text: 'x'.repeat(80) })
      const keys = ['ipfs:1', 'ipfs:2', 'ipfs:3']
      await noteOf('0xaa', ...keys)
      await noteOf('0xbb', 'ipfs:3', 'ipfs:4')
      const keep = (key: string, text: string | null = json) =>
        store.settle(
          [{ key, state: 'verified', sentence: '', json: text, attempts: 1, nextAt: null }],
          json.length * 6,
        )
      for (const key of ['ipfs:1', 'ipfs:2', 'ipfs:3', 'ipfs:4']) await keep(key)
      const states = async () =>
        [...(await store.find([...keys, 'ipfs:4']))].map(([key, { state }]) => `${key} ${state}`)
      expect((await states()).toSorted()).toEqual([
        'ipfs:1 verified',
        'ipfs:2 refused',
        'ipfs:3 verified',
        'ipfs:4 refused',
      ])
      await keep('ipfs:1', null)
      await keep('ipfs:2')
      expect((await states()).toSorted()[1]).toBe('ipfs:2 verified')
    })
  })
}
