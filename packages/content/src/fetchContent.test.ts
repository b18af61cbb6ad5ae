import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { sha256 } from '@noble/hashes/sha2.js'
import { Agent } from 'undici'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { varint } from 'multiformats'
import { base58btc } from 'multiformats/bases/base58'
import { contentIdOfFile, encodeFileNode } from '@attestry/core/model/contentId.ts'
import {
  parseContentPointer,
  parseFilePointer,
  pointerOfKey,
  withKeccak,
  type ContentPointer,
} from '@attestry/core/model/contentPointer.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { keccak256 } from '@attestry/core/model/keccak.ts'
import { createContentAgents, createGuardedAgent, isPublicAddress } from './addressGuard.ts'
import { createHostPatience } from './hostPatience.ts'
import { fetchContent, type FetchOptions } from './fetchContent.ts'
import type { ContentStore } from './contentStore.ts'
import { runContent, settle } from './runContent.ts'
import transactions from './testing/arweaveTransactions.json' with { type: 'json' }

/** A gateway on this machine that answers as a test says. */
let server: Server
let base = ''
let answer: RequestListener
const agents = createContentAgents(600_000)
let asked: string[] = []

beforeEach(async () => {
  asked = []
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const json = '{"name":"Ada","level":3}'
const bytes = Buffer.from(json)

/** Answers blocks by their identifiers, as a gateway that knows blocks. */
function serveBlocks(blocks: ReadonlyMap<string, Uint8Array>): RequestListener {
  return ({ url = '' }, response) => {
    const block = blocks.get(url.replace(/^\/ipfs\/|\?.*$/g, ''))
    response.writeHead(block === undefined ? 404 : 200)
    response.end(block)
  }
}

const encodeVarint = (value: number) => varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)))

const ipfs = (text: string): ContentPointer => {
  const pointer = parseContentPointer('IPFS', text)
  if (pointer === null) throw new TypeError(`${text} is no identifier`)
  return pointer
}

const rawId = (content: Uint8Array) =>
  base58btc.encode(Uint8Array.from([1, 0x55, 0x12, 0x20, ...sha256(content)]))

const optionsOf = (): FetchOptions => ({
  ipfs: [`${base}/ipfs/`],
  arweave: [`${base}/`],
  maxBytes: 4_096,
  https: true,
  timeoutMs: 600_000,
  hosts: createHostPatience(),
  ...agents,
})

const fetchIt = (pointer: ContentPointer, changes: Partial<FetchOptions> = {}) =>
  fetchContent(pointer, { ...optionsOf(), ...changes }, new AbortController().signal)

const send =
  (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }

/** A file in two raw blocks below a node of DAG-PB, as `ipfs add --raw-leaves` makes of larger files. */
function splitFile(content: Uint8Array, parts = [content.subarray(0, 10), content.subarray(10)]) {
  const field = (number: number, value: Uint8Array) =>
    Buffer.concat([Uint8Array.from([number * 8 + 2, ...encodeVarint(value.length)]), value])
  const links = parts.map((part) =>
    field(2, field(1, Uint8Array.from([1, 0x55, 0x12, 0x20, ...sha256(part)]))),
  )
  const data = Uint8Array.from([0x08, 0x02, 0x18, ...encodeVarint(content.length)])
  const root = Buffer.concat([...links, field(1, data)])
  const blocks = new Map<string, Uint8Array>()
  const id = base58btc.baseEncode(Uint8Array.from([0x12, 0x20, ...sha256(root)]))
  blocks.set(id, root)
  for (const part of parts) blocks.set(`f01551220${Buffer.from(sha256(part)).toString('hex')}`, part)
  return { id, blocks }
}

/** A folder with one entry, by its identifier and that of the entry's block. */
function folderOf(name: string, entry: Uint8Array, codec = 0x55): { id: string; block: Uint8Array } {
  const field = (number: number, value: Uint8Array) =>
    Buffer.concat([Uint8Array.from([number * 8 + 2, ...encodeVarint(value.length)]), value])
  const hash = Uint8Array.from([1, codec, 0x12, 0x20, ...sha256(entry)])
  const link = Buffer.concat([field(1, hash), field(2, Buffer.from(name)), Uint8Array.of(0x18, entry.length)])
  const block = Buffer.concat([field(2, link), field(1, Uint8Array.of(0x08, 0x01))])
  return { id: base58btc.baseEncode(Uint8Array.from([0x12, 0x20, ...sha256(block)])), block }
}

/** Blocks by the identifiers that a walk through folders asks for. */
const blocksOf = (codec: '55' | '70', ...blocks: readonly Uint8Array[]) =>
  blocks.map((block): [string, Uint8Array] => [
    `f01${codec}1220${Buffer.from(sha256(block)).toString('hex')}`,
    block,
  ])

describe('content of IPFS is verified', () => {
  test('where it stands in folders, each block by the hash of the one before', async () => {
    const inner = folderOf('agent ü.json', bytes)
    const outer = folderOf('a', inner.block, 0x70)
    const blocks = new Map([...blocksOf('70', outer.block, inner.block), ...blocksOf('55', bytes)])
    answer = serveBlocks(blocks)
    const pointer = ipfs(`https://ipfs.io/ipfs/${outer.id}/a/agent%20ü.json?filename=x`)
    expect(await fetchIt(pointer)).toEqual({ state: 'verified', sentence: '', json })
    expect(pointerOfKey(pointer.key)).toEqual(pointer)
    expect(await fetchIt(ipfs(`ipfs://${outer.id}/a/b.json`))).toMatchObject({
      state: 'refused',
      sentence: 'The content is not kept: its folder has no "b.json".',
    })
    expect(await fetchIt(ipfs(`ipfs://${outer.id}/a`))).toMatchObject({
      sentence: expect.stringMatching(/it is a folder/) as unknown,
    })
    const [last = ''] = [...blocks.keys()].slice(-1)
    answer = serveBlocks(new Map(blocks).set(last, Buffer.from('{"name":"Eve"}')))
    expect(await fetchIt(pointer)).toMatchObject({ state: 'mismatch', json: null })
  })

  test('where it is one raw block', async () => {
    answer = send(bytes, { 'content-type': 'text/html' })
    expect(await fetchIt(ipfs(rawId(bytes)))).toEqual({ state: 'verified', sentence: '', json })
    expect(asked).toEqual([`/ipfs/${rawId(bytes)}?format=raw`])
  })

  test('where it is one node of DAG-PB, from gateways that know blocks and others', async () => {
    const pointer = ipfs(`ipfs://${contentIdOfFile(bytes)}`)
    answer = send(encodeFileNode(bytes))
    expect(await fetchIt(pointer)).toMatchObject({ state: 'verified', json })
    answer = send(bytes)
    expect(await fetchIt(pointer)).toMatchObject({ state: 'verified', json })
  })

  test('where it has several blocks, each by its own hash', async () => {
    const { id, blocks } = splitFile(bytes)
    answer = serveBlocks(blocks)
    expect(await fetchIt(ipfs(id))).toMatchObject({ state: 'verified', json })
    const [, first] = blocks.keys()
    answer = serveBlocks(new Map(blocks).set(first ?? '', Buffer.from('other byte')))
    expect(await fetchIt(ipfs(id))).toMatchObject({ state: 'mismatch', json: null })
  })

  test('by the second gateway where the first lies, or knows nothing', async () => {
    answer = ({ url = '' }, response) => response.end(url.startsWith('/bad/') ? '{"name":"Eve"}' : bytes)
    const gateways = [`${base}/bad/`, `${base}/ipfs/`]
    expect(await fetchIt(ipfs(rawId(bytes)), { ipfs: gateways })).toMatchObject({ state: 'verified' })
    expect(await fetchIt(ipfs(rawId(bytes)), { ipfs: [`${base}/bad/`] })).toEqual({
      state: 'mismatch',
      sentence: `${new URL(base).host} has other bytes than the identifier names.`,
      json: null,
    })
  })
})

describe('content of Arweave', () => {
  const [, transaction] = transactions
  const id = transaction?.id ?? ''
  const pointer = parseContentPointer('ARWEAVE', `ar://${id}`) as ContentPointer
  /** Gateways below their paths: what each has as the transaction, and as the data. */
  const serve = (gateways: Readonly<Record<string, { tx?: object | undefined; data?: string }>>) => {
    answer = ({ url = '' }, response) => {
      const [, gateway = '', rest = ''] = /^\/(\w+)\/(.*)$/.exec(url) ?? []
      const { tx, data } = gateways[gateway] ?? {}
      const body =
        rest === `tx/${id}` && tx !== undefined ? JSON.stringify(tx) : rest === id ? data : undefined
      response.writeHead(body === undefined ? 404 : 200).end(body)
    }
    return fetchIt(pointer, { arweave: Object.keys(gateways).map((name) => `${base}/${name}/`) })
  }

  test('is verified by its transaction, whichever gateway has it', async () => {
    const verified = { state: 'verified', sentence: '', json }
    expect(await serve({ one: { tx: transaction, data: json } })).toEqual(verified)
    expect(await serve({ one: { data: json }, two: { tx: transaction } })).toEqual(verified)
    const liar = { tx: { ...transaction, data_root: '' }, data: '{"name":"Eve","level":3}' }
    expect(await serve({ one: liar, two: { tx: transaction, data: json } })).toEqual(verified)
  })

  test('is a mismatch with other bytes than its transaction has', async () => {
    const found = await serve({ one: { tx: transaction, data: '{"name":"Eve","level":3}' } })
    expect(found).toMatchObject({ state: 'mismatch', json: null })
  })

  test('is unverified where no gateway has its transaction', async () => {
    const unverified = { state: 'unverified', sentence: expect.stringMatching(/bundles/), json }
    expect(await serve({ one: { data: json } })).toEqual(unverified)
    expect(await serve({ one: { data: json, tx: { ...transaction, tags: [] } } })).toEqual(unverified)
    expect(await serve({ one: { data: '<html>' }, two: { data: json } })).toEqual(unverified)
    const endless = { data: 'x'.repeat(100_000) }
    expect(await serve({ one: { data: json, tx: endless } })).toEqual({ ...unverified, isUnsure: true })
  })
})

test('content is that of a Keccak-256 hash where the record has one', async () => {
  const id = 'a'.repeat(43)
  const named = parseContentPointer('ARWEAVE', id) as ContentPointer
  const hash = `0x${Buffer.from(keccak256(bytes)).toString('hex')}` as Hash
  const pointer = withKeccak(named, hash)
  expect(pointerOfKey(pointer.key)).toEqual(pointer)
  expect(pointerOfKey(named.key)).toEqual(named)
  answer = send(bytes)
  expect(await fetchIt(pointer)).toEqual({ state: 'verified', sentence: '', json })
  answer = send('{"name":"Eve"}')
  expect(await fetchIt(pointer)).toEqual({
    state: 'mismatch',
    sentence: `${new URL(base).host} has bytes with another Keccak-256 hash than the record gives.`,
    json: null,
  })
  // The identifier holds, and the record contradicts itself.
  const ofIpfs = withKeccak(ipfs(rawId(bytes)), hash.replace(/.$/, hash.endsWith('0') ? '1' : '0') as Hash)
  expect(pointerOfKey(ofIpfs.key)).toEqual(ofIpfs)
  answer = send(bytes)
  expect(await fetchIt(ofIpfs)).toMatchObject({ state: 'mismatch' })
})

describe('a hostile or broken gateway gives a state and a sentence', () => {
  const pointerOf = (content: string | Uint8Array) => ipfs(rawId(Buffer.from(content)))
  const deep = `${'['.repeat(500)}${']'.repeat(500)}`
  const states: readonly [name: string, content: string | Uint8Array, state: string, sentence: RegExp][] = [
    ['HTML', '<html><script>alert(1)</script>', 'refused', /HTML/],
    ['no JSON', 'hello', 'refused', /no JSON/],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x00), 'refused', /UTF-8/],
    ['deep JSON', deep, 'refused', /nests more than 64 levels/],
    ['a content that is too long', `"${'x'.repeat(5_000)}"`, 'refused', /longer than 4096 bytes/],
  ]
  test.each(states)('%s', async (_name, content, state, sentence) => {
    answer = send(content)
    const found = await fetchIt(pointerOf(content))
    expect([found.state, found.json]).toEqual([state, null])
    expect(found.sentence).toMatch(sentence)
  })

  const faults: readonly [name: string, faulty: RequestListener, sentence: RegExp, timeoutMs?: number][] = [
    ['an absent content', send('', {}, 404), /does not have it/],
    ['an error', send('', {}, 500), /answers 500/],
    ['a compressed body', send(gzipSync(bytes), { 'content-encoding': 'gzip' }), /compressed/],
    [
      'redirects without end',
      ({ url = '' }, response) => response.writeHead(302, { location: `${url}x` }).end(),
      /redirects more than 3/,
    ],
    ['a redirect to another scheme', send('', { location: 'file:///etc/passwd' }, 302), /no web address/],
    ['a connection that is closed', (request) => request.socket.destroy(), /cannot be reached/],
    ['no answer', () => undefined, /did not answer in time/, 500],
    [
      'a body that trickles',
      (_request, response) => void setInterval(() => response.write('1'), 50).unref(),
      /did not answer in time/,
      500,
    ],
  ]
  test.each(faults)('%s', async (_name, faulty, sentence, timeoutMs = 600_000) => {
    answer = faulty
    const found = await fetchIt(pointerOf(bytes), { timeoutMs })
    expect([found.state, found.json]).toEqual(['missing', null])
    expect(found.sentence).toMatch(sentence)
  })

  test('a file of many empty blocks', async () => {
    const empty = new Uint8Array()
    const { id, blocks } = splitFile(
      empty,
      Array.from({ length: 2_000 }, () => empty),
    )
    answer = serveBlocks(blocks)
    expect(await fetchIt(ipfs(id), { maxBytes: 200_000 })).toMatchObject({
      state: 'refused',
      sentence: 'The content is not kept: it stands in more than 1,024 blocks.',
    })
    expect(asked.length).toBeLessThan(1_100)
  })

  test('a body without an end', async () => {
    answer = (_request, response) => {
      const more = () => {
        while (response.writable && response.write('x'.repeat(1_024)));
      }
      response.on('drain', more)
      more()
    }
    expect(await fetchIt(pointerOf(bytes))).toMatchObject({ state: 'refused' })
  })

  test('a redirect into the operator’s network is not followed, by address or by name', async () => {
    const inner = createServer((_request, response) => response.end(bytes)).listen(0, '127.0.0.1')
    await once(inner, 'listening')
    const { port } = inner.address() as AddressInfo
    let reached = 0
    inner.on('connection', () => (reached += 1))
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
      answer = send('', { location: `http://${host}:${port}/` }, 302)
      const found = await fetchIt(pointerOf(bytes))
      expect([host, found.state]).toEqual([host, 'missing'])
    }
    expect(reached).toBe(0)
    inner.close()
  })
})

test('a name is looked up once for a connection, and judged by all of its addresses', async () => {
  const found: string[] = []
  const answers = [['127.0.0.1'], ['93.184.215.14', '10.0.0.1'], ['::ffff:169.254.169.254']]
  const resolve = ((host: string, _options: object, done: (error: null, addresses: object[]) => void) => {
    const addresses = answers[found.length] ?? []
    found.push(host)
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as never
  answer = send('', { location: 'http://rebound.example/' }, 302)
  const others = createGuardedAgent(1_000, resolve)
  for (const count of [1, 2, 3]) {
    const { state, sentence } = await fetchIt(ipfs(rawId(bytes)), { others })
    expect([state, sentence]).toEqual([
      'missing',
      expect.stringMatching(/redirects: rebound\.example leads to an address that is not public\.$/),
    ])
    expect(found).toHaveLength(count)
  }
  await others.destroy()
})

test.each([
  ...[
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.0.1',
    '224.0.0.1',
  ],
  ...[
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12::1',
    'ff02::1',
  ],
  ...['64:ff9b::a00:1', '2001:db8::1', '2002:7f00:1::', '2001::1', 'nonsense', ''],
])('%s is no public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(['8.8.8.8', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  ['IPFS', 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n'],
  ['IPFS', 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'],
  ['IPFS', '/ipfs/QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n'],
  ['IPFS', 'https://ipfs.io/ipfs/QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n'],
  ['ARWEAVE', 'https://arweave.net/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
])('%s: %s names content', (location, text) => {
  expect(parseContentPointer(location, text)).not.toBeNull()
})

test.each([
  ['IPFS', ''],
  ['IPFS', 'hello'],
  ['IPFS', 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1'],
  ['IPFS', `Qm${'1'.repeat(44)}`],
  ['IPFS', 'http://169.254.169.254/latest/meta-data'],
  ['ARWEAVE', '../../admin'],
  ['CUSTOM', 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n'],
])('%s: %s names nothing that is fetched', (location, text) => {
  expect(parseContentPointer(location, text)).toBeNull()
})

test('the identifiers are those of the tools of IPFS', () => {
  // `printf 'hello world' | ipfs add -q --only-hash`
  expect(contentIdOfFile(Buffer.from('hello world'))).toBe('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
})

describe('files behind https:// URLs', () => {
  const url = (text: string): ContentPointer => {
    const pointer = parseFilePointer(text)
    if (pointer === null) throw new TypeError(`${text} is no URL of a file`)
    return pointer
  }
  /** Every host is the server of the tests, which speaks no TLS. */
  const everywhere = () =>
    new Agent({
      connect: (_options, done) => {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => done(null, socket))
        socket.once('error', (error) => done(error, null))
      },
    })

  test('are fetched without their fragment, and verified by nothing', async () => {
    answer = send(bytes)
    const fetched = await fetchIt(url('https://a.example/me.json?v=1#top'), { others: everywhere() })
    expect(fetched).toEqual({ state: 'unverified', sentence: '', json })
    expect(asked).toEqual(['/me.json?v=1'])
  })

  test.each(['https://127.0.0.1/x', 'https://[::1]/x', 'https://localhost/x', 'https://10.0.0.1/x'])(
    'are never those of private networks, as %s',
    async (text) => {
      answer = send(bytes)
      const fetched = await fetchIt(url(text))
      expect(fetched.state).toBe('missing')
      expect(fetched.sentence).toMatch(/not public|cannot be reached/)
      expect(asked).toEqual([])
    },
  )

  test('are left alone where the configuration does not ask for them', async () => {
    answer = send(bytes)
    const fetched = await fetchIt(url('https://a.example/x'), { https: false, others: everywhere() })
    expect(fetched).toMatchObject({ state: 'missing', sentence: 'This server does not fetch from there.' })
    expect(asked).toEqual([])
  })

  test('of a failing host wait, and those of other hosts do not', async () => {
    let nowMs = 0
    const hosts = createHostPatience(() => nowMs)
    answer = ({ headers }, response) => {
      if (headers.host === 'dead.example') response.destroy()
      else response.end(json)
    }
    const ask = async (host: string) =>
      await fetchIt(url(`https://${host}/x`), { hosts, others: everywhere() })
    for (let failure = 0; failure < 3; failure++) await ask('dead.example')
    const before = asked.length
    expect((await ask('dead.example')).sentence).toBe('dead.example did not answer several times.')
    expect(asked).toHaveLength(before)
    expect((await ask('live.example')).state).toBe('unverified')
    nowMs += 121_000
    await ask('dead.example')
    expect(asked.length).toBeGreaterThan(before + 1)
  })

  test('of a host that answers slowly again and again wait as well', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const hosts = createHostPatience(() => 0)
    answer = (_request, response) => {
      vi.advanceTimersByTime(5_001)
      response.end(json)
    }
    const ask = async () => await fetchIt(url('https://slow.example/x'), { hosts, others: everywhere() })
    for (let slow = 0; slow < 3; slow++) expect((await ask()).state).toBe('unverified')
    expect((await ask()).sentence).toBe('slow.example did not answer several times.')
  })

  test('of one host are fetched two at a time, whoever names them', async () => {
    const held: ServerResponse[] = []
    answer = (_request, response) => void held.push(response)
    const due = Array.from({ length: 6 }, (_, index) => ({
      key: `https://a.example/${index}`,
      attempts: 0,
      firstAt: 0,
      owner: `owner ${index}`,
      host: 'a.example',
    }))
    const settled: string[] = []
    const stop = new AbortController()
    const running = runContent(
      {
        store: {
          // As a store that does not know what is being fetched.
          take: (from: string) => Promise.resolve(from === 'hosts' ? due.splice(0) : []),
          settle: (rows: readonly { readonly key: string }[]) => {
            settled.push(...rows.map(({ key }) => key))
            return Promise.resolve()
          },
        } as unknown as ContentStore,
        options: { ...optionsOf(), others: everywhere() },
        totalBytesMax: 1_000_000,
        discover: () => Promise.resolve(),
        now: () => 0,
        sleep: (_ms, signal) => delay(1, undefined, { signal }),
        log: () => undefined,
      },
      stop.signal,
    )
    for (let count = 0; count < 6; count++) {
      await expect.poll(() => held.length).toBe(Math.min(2, 6 - count))
      held.shift()?.end(json)
    }
    await expect.poll(() => settled.length).toBe(6)
    stop.abort()
    await running
  })
})

test('a pause that every gateway asks for is kept, up to six hours', async () => {
  const header = ['7200', '86400']
  answer = (_, response) => response.writeHead(429, { 'retry-after': header.shift() ?? '' }).end()
  const fetched = await fetchIt(ipfs(rawId(bytes)), { ipfs: [`${base}/a/`, `${base}/b/`] })
  expect(fetched).toMatchObject({ state: 'missing', retryAfterMs: 7_200_000 })
  const nextAt = (retryAfterMs: number) =>
    settle({ key: '', attempts: 0, firstAt: 0 }, { ...fetched, retryAfterMs }, 0).nextAt
  expect([7_200_000, 86_400_000, 5].map(nextAt)).toEqual([7_200_000, 21_600_000, 60_000])
  // The second gateway may have it sooner.
  header.push('7200')
  expect(await fetchIt(ipfs(rawId(bytes)), { ipfs: [`${base}/a/`, `${base}/b/`] })).not.toHaveProperty(
    'retryAfterMs',
  )
})

test('content whose transaction a gateway fails to give is asked for again, a few times', async () => {
  const id = 'a'.repeat(43)
  answer = ({ url = '' }, response) => response.writeHead(url.startsWith('/tx/') ? 429 : 200).end(json)
  const fetched = await fetchIt(parseContentPointer('ARWEAVE', id) as ContentPointer)
  expect(fetched).toMatchObject({ state: 'unverified', isUnsure: true, json })
  const nextAt = (attempts: number) => settle({ key: '', attempts, firstAt: 0 }, fetched, 1_000).nextAt
  expect([0, 2, 3].map(nextAt)).toEqual([61_000, 1_801_000, null])
})
