import { serveAgents } from '@attestry/agents/serveAgents.ts'
import { serveErc8004 } from '@attestry/subgraphs/erc8004/serveErc8004.ts'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer as createApi } from '@attestry/server/testing/createServer.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { contentLayout, openContentStore, type ContentStore } from '../../contentStore.ts'
import { createDiscovery } from '../../discoverContent.ts'
import type { FetchOptions } from '../../fetchContent.ts'
import { createHostPatience } from '../../hostPatience.ts'
import { runContent } from '../../runContent.ts'
import {
  agentChain,
  changed,
  fillAgents,
  friend,
  gave,
  owner,
  sampleAgentId,
  sampleNow,
} from '@attestry/server/pipeline/testing/agentSample.ts'
import { contentIdOfFile } from '@attestry/core/model/contentId.ts'
import { parseFilePointer } from '@attestry/core/model/contentPointer.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { BesideDatabase, BesideLayout } from '@attestry/store/beside/besideDatabase.ts'

/** Files of agents and feedback behind their URIs, from the event to the answer, over either database. */
export function describeAgentFiles(
  name: string,
  create: () => Promise<{
    readonly open: (layout: BesideLayout) => BesideDatabase
    readonly remove: () => Promise<void>
  }>,
): void {
  const grace = JSON.stringify({
    name: 'Grace',
    description: 'Compiles',
    image: 'https://grace.example/face.png',
    active: true,
    serial: 12345678901234567890n.toString(),
    services: [{ name: 'MCP', endpoint: 'https://mcp.grace.example', version: '1' }],
  })
  const [graceCid, before] = [grace, '{"name":"Before"}'].map((text) => contentIdOfFile(Buffer.from(text)))
  const review = '{"text":"Good work","mcp":{"tool":"add"},"proofOfPayment":{"chainId":8453,"txHash":"0x1"}}'
  const reviewCid = contentIdOfFile(Buffer.from(review))
  /** Bodies by the paths of URLs of files.example, and by identifiers. */
  const served = new Map<string, string>([
    [`/ipfs/${graceCid}`, grace],
    [`/ipfs/${before}`, '{"name":"Before"}'],
    [`/ipfs/${reviewCid}`, review],
    ['/hopper.json', '{"name":"Hopper","active":false}'],
    ['/page', '<!doctype html><script>alert(1)</script>'],
    ['/large.json', `{"name":"${'x'.repeat(20_000)}"}`],
    ['/deep.json', `{"name":${'['.repeat(2_000)}${']'.repeat(2_000)}}`],
    ['/list.json', '[{"name":"List"}]'],
    ['/wrong.json', '{"name":{"a":1},"active":"yes","services":[1,{"name":7}],"__proto__":{"name":"Bad"}}'],
  ])
  const uris = [
    `ipfs://${before}`,
    'https://files.example/hopper.json#me',
    'https://files.example/page',
    'https://files.example/large.json',
    'https://files.example/deep.json',
    'https://files.example/list.json',
    'https://files.example/wrong.json',
    'https://files.example/absent.json',
    'http://files.example/hopper.json',
    `https://files.example/${'x'.repeat(3_000)}`,
  ]

  describe(`files of agents over ${name}`, () => {
    let database: Awaited<ReturnType<typeof create>>
    let content: ContentStore
    let gateway: Server
    let api: ReturnType<typeof createApi>
    let index: Awaited<ReturnType<typeof createSqliteTestStore>>
    let fetching: Omit<FetchOptions, 'ipfs'>
    let nowMs = 1_800_000_000_000

    beforeAll(async () => {
      database = await create()
      content = openContentStore(database.open(contentLayout))
      gateway = createServer(({ url = '', headers }, response) => {
        if (headers.host?.startsWith('dead') === true) return
        const text = served.get(url.replace(/\?.*$/, ''))
        response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html' })
        response.end(text)
      })
      gateway.listen(0, '127.0.0.1')
      await once(gateway, 'listening')
      const { port } = gateway.address() as AddressInfo
      // All names of the internet are this gateway, which speaks no TLS.
      const others = new Agent({
        connect: (_options, done) => {
          const socket = connect(port, '127.0.0.1', () => done(null, socket))
          socket.once('error', (error) => done(error, null))
        },
      })
      fetching = {
        arweave: [],
        https: true,
        maxBytes: 8_192,
        timeoutMs: 600_000,
        gateways: new Agent(),
        others,
        hosts: createHostPatience(),
      }
      index = await createSqliteTestStore()
      const writer = index.openWriter()
      await fillAgents(writer, [
        ...uris.map((uri, at) => changed(BigInt(10 + at), { change: 'registered', owner, uri })),
        changed(10n, { change: 'uriUpdated', uri: `ipfs://${graceCid}`, by: owner }),
        gave({
          agentId: 10n,
          from: friend,
          index: 60,
          value: 1n,
          decimals: 0,
          tag1: '',
          uri: `ipfs://${reviewCid}`,
        }),
        gave({
          agentId: 10n,
          from: friend,
          index: 61,
          value: 1n,
          decimals: 0,
          tag1: 'web',
          uri: 'https://files.example/wrong.json',
        }),
      ])
      await writer.close()
      api = createApi({
        reader: index.openReader(),
        decodePayload: decodeAttestedPayload,
        wings: [serveAgents(), serveErc8004()],
        content,
        now: () => sampleNow,
      })
    })
    afterAll(async () => {
      await api.close()
      gateway.closeAllConnections()
      gateway.close()
      await index.remove()
      await content.close()
      await database.remove()
    })

    async function fetchAll(): Promise<void> {
      const reader = index.openReader()
      const { port } = gateway.address() as AddressInfo
      const stop = new AbortController()
      const decodePayload = decodeAttestedPayload
      const running = runContent(
        {
          store: content,
          options: { ...fetching, ipfs: [`http://127.0.0.1:${port}/ipfs/`] },
          totalBytesMax: 1_000_000,
          discover: createDiscovery({ reader, store: content, decodePayload, now: () => nowMs }),
          now: () => nowMs,
          sleep: (delayMs, signal) => delay(Math.min(delayMs, 5), undefined, { signal }),
          log: () => undefined,
        },
        stop.signal,
      )
      const keys = [...uris, `ipfs://${graceCid}`, `ipfs://${reviewCid}`].flatMap(
        (uri) => parseFilePointer(uri)?.key ?? [],
      )
      const isDone = async () => {
        const found = await content.find(keys)
        return found.size === keys.length && [...found.values()].every(({ state }) => state !== 'pending')
      }
      await expect.poll(isDone).toBe(true)
      stop.abort()
      await running
      await reader.close()
    }

    interface Row {
      readonly uriState: string
      readonly uriReason: string
      readonly [member: string]: unknown
    }
    const rowOf = async (agentId: number, query = ''): Promise<Row> => {
      const response = await api.inject(
        `/scan/agents/${encodeURIComponent(sampleAgentId(BigInt(agentId)))}${query}`,
      )
      expect(response.statusCode).toBe(200)
      return response.json<{ data: Row }>().data
    }
    const ask = async (url: string, query: string, variables: object = {}) => {
      const response = await api.inject({ method: 'POST', url, payload: { query, variables } })
      const { data, errors } = response.json<{ data: unknown; errors?: unknown }>()
      expect(errors).toBeUndefined()
      return data
    }

    test('are known once they are fetched, whatever was answered before', async () => {
      // Two requests: an answer may be kept from the second on.
      for (const _ of [1, 2]) {
        expect(await rowOf(10)).toMatchObject({
          uriState: 'pending',
          uriReason: 'It was not fetched yet.',
          name: '',
        })
      }
      await fetchAll()
      expect(await rowOf(10)).toMatchObject({
        uriState: 'verified',
        uriReason: '',
        name: 'Grace',
        description: 'Compiles',
        image: 'https://grace.example/face.png',
        active: true,
        endpoints: [{ name: 'MCP', endpoint: 'https://mcp.grace.example', version: '1' }],
        registration: JSON.parse(grace) as unknown,
        didAddresses: [{ did: 'did:web:mcp.grace.example' }],
      })
      expect(await rowOf(0)).toMatchObject({ uriState: 'read', name: 'Ada' })
      expect(await rowOf(1)).toMatchObject({ uriState: 'none', registration: null })
    })

    test.each([
      [11, 'unverified', /^$/, 'Hopper'],
      [12, 'refused', /page of HTML or XML/, ''],
      [13, 'refused', /longer than 8192 bytes/, ''],
      [14, 'refused', /nests more than 64 levels/, ''],
      [15, 'refused', /is JSON, but no object/, ''],
      [16, 'unverified', /^$/, ''],
      [17, 'missing', /files\.example does not have it/, ''],
      [18, 'refused', /names nothing that can be fetched/, ''],
      [19, 'refused', /names nothing that can be fetched/, ''],
    ])('agent %d is %s', async (agentId, uriState, reason, told) => {
      const row = await rowOf(agentId)
      expect(row).toMatchObject({ uriState, name: told })
      expect(row.uriReason).toMatch(reason)
      expect(row['registration'] === null).toBe(uriState !== 'unverified')
    })

    test('are shown in lists, by GraphQL and as of an older block', async () => {
      const list = (await api.inject('/scan/agents?size=100')).json<{ data: { rows: readonly Row[] } }>()
      expect(list.data.rows.filter(({ name: told }) => told !== '').map((row) => row['name'])).toEqual([
        'Hopper',
        'Grace',
        'Ada',
      ])
      const query =
        '{ agent(id: "5:10") { uriState name active registration } agents(first: 9) { nodes { name } } }'
      expect(await ask('/graphql', query)).toMatchObject({
        agent: { uriState: 'verified', name: 'Grace', active: true, registration: { name: 'Grace' } },
        agents: { nodes: expect.arrayContaining([{ name: 'Hopper' }]) as unknown },
      })
      const { data } = (
        await api.inject(`/scan/agents/${encodeURIComponent(sampleAgentId(10n))}/history`)
      ).json<{ data: { rows: readonly { blockNumber: number }[] } }>()
      const registered = data.rows.at(-1)?.blockNumber
      expect(await rowOf(10, `?asOf=${agentChain}:${registered}`)).toMatchObject({
        uriState: 'verified',
        name: 'Before',
      })
    })

    test('are filtered and ordered as the subgraph does', async () => {
      const ids = async (where: object) => {
        const query =
          'query Q($where: Agent_filter) { agents(where: $where, orderBy: createdAt, orderDirection: asc) { id } }'
        const { agents } = (await ask('/erc8004/5/graphql', query, { where })) as { agents: { id: string }[] }
        return agents.map(({ id }) => id)
      }
      expect(await ids({ registrationFile_not: null })).toEqual(['5:0', '5:10', '5:11', '5:16'])
      expect(await ids({ registrationFile_: { name_contains_nocase: 'gra' } })).toEqual(['5:10'])
      expect(await ids({ registrationFile_: { active: false } })).toEqual(['5:11'])
      expect(await ids({ registrationFile_: { mcpEndpoint_not: null } })).toEqual(['5:0', '5:10'])
      const query = `{ agentRegistrationFiles(where: {name: "Grace"}) { id cid agentId name mcpEndpoint }
        agent(id: "5:11") { registrationFile { cid name active } } }`
      expect(await ask('/erc8004/5/graphql', query)).toMatchObject({
        agentRegistrationFiles: [{ cid: graceCid, agentId: '5:10', name: 'Grace' }],
        agent: { registrationFile: { cid: expect.stringMatching(/^https:/) as unknown, name: 'Hopper' } },
      })
    })

    test('are those of feedback as well', async () => {
      const query = `{ feedbacks(where: {agent: "5:10"}, orderBy: feedbackIndex) { feedbackFile { cid text mcpTool
        proofOfPaymentChainId proofOfPaymentTxHash name } }
        feedbackFiles(where: {text_contains: "Good", feedbackId_contains: "5:10"}) { cid feedbackId } }`
      expect(await ask('/erc8004/5/graphql', query)).toMatchObject({
        feedbacks: [
          {
            feedbackFile: {
              cid: reviewCid,
              text: 'Good work',
              mcpTool: 'add',
              proofOfPaymentChainId: '8453',
              proofOfPaymentTxHash: '0x1',
            },
          },
          { feedbackFile: { cid: 'https', text: null, name: null } },
        ],
        feedbackFiles: [{ cid: reviewCid, feedbackId: `5:10:${friend}:60` }],
      })
    })

    test('of gateways do not wait for hosts that never answer', async () => {
      const late = '{"name":"Late"}'
      const lateKey = `ipfs:${contentIdOfFile(Buffer.from(late))}`
      served.set(`/ipfs/${lateKey.slice(5)}`, late)
      const dead = Array.from({ length: 300 }, (_, at) => `https://dead${at}.example/`)
      const walk = {
        chainId: agentChain,
        location: 'test',
        place: { chainId: agentChain, timestamp: 0, position: 0 },
      }
      const named = dead.map((key, at) => ({ key, owner: `0x${at}` }))
      await content.note({ pointers: [], keys: named }, walk, nowMs)
      await content.note({ pointers: [], keys: [{ key: lateKey, owner: '0xlate' }] }, walk, nowMs)
      const { port } = gateway.address() as AddressInfo
      const stop = new AbortController()
      const running = runContent(
        {
          store: content,
          options: {
            ...fetching,
            ipfs: [`http://127.0.0.1:${port}/ipfs/`],
          },
          totalBytesMax: 1_000_000,
          discover: () => Promise.resolve(),
          now: () => nowMs,
          sleep: (delayMs, signal) => delay(Math.min(delayMs, 5), undefined, { signal }),
          log: () => undefined,
        },
        stop.signal,
      )
      await expect.poll(async () => (await content.find([lateKey])).get(lateKey)?.state).toBe('verified')
      expect((await content.find(dead.slice(0, 1))).get(dead[0] ?? '')?.state).toBe('pending')
      stop.abort()
      await running
    })

    test('go and come back with a reorganisation of the event that named them', async () => {
      const writer = index.openWriter()
      const { data } = (
        await api.inject(`/scan/agents/${encodeURIComponent(sampleAgentId(10n))}/history`)
      ).json<{ data: { rows: readonly { blockNumber: number }[] } }>()
      const updated = data.rows[0]?.blockNumber ?? 0
      await writer.revertBlocks(agentChain, updated - 1, unixMilliseconds(1))
      await writer.close()
      nowMs += 120_000
      expect(await rowOf(10)).toMatchObject({ uriState: 'verified', name: 'Before' })
    })
  })
}
