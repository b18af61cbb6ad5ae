import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type ClientRequest, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startReadyProcess } from './childProcess.ts'
import { account, attestationUid, easChainId, schemaUid } from './easContent.ts'
import { fillBeside, longSchema } from './fillBeside.ts'
import { fillEas } from './fillEas.ts'
import { quantile } from './quantile.ts'

/** Requests for a single record, beside six of the worst requests of one kind at the same time. */
export interface BesideFigures {
  readonly name: string
  readonly p99Ms: number
  /** Times that at rest. */
  readonly ratio: number
  /** Requests for a single record that were not answered. */
  readonly refused: number
  readonly attacks: number
  /** Memory of the process above that at rest: at its greatest, and ten seconds after the attacks. */
  readonly addedMib: number
  readonly keptMib: number
  readonly isWithin: boolean
}

interface Asked {
  readonly path: string
  readonly body?: unknown
}

interface Attack {
  readonly name: string
  readonly ask: (turn: number) => Asked
  /** Whether the client closes its connection instead of waiting. */
  readonly hangsUp?: boolean
  /** How many clients open the path, which is that of a stream, and read nothing; instead of requests. */
  readonly listeners?: number
}

const attackerCount = 6
const intervalMs = 10
const p99MaxMs = 250
const ratioMax = 10
const addedMibMax = 150
/** MiB of it that may be left after ten seconds. */
const keptMibMax = 20

export interface BesideOptions {
  readonly attestations: number
  readonly seconds: number
  /** Measures attacks whose name contains this. */
  readonly only: string
  readonly onProgress: (line: string) => void
}

export async function benchBeside({
  attestations,
  seconds,
  only,
  onProgress,
}: BesideOptions): Promise<readonly BesideFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const path = join(folder, 'index.db')
  try {
    onProgress(`beside: filling an index with ${attestations} attestations`)
    await fillEas(path, attestations)
    await fillBeside(path)
    const figures: BesideFigures[] = []
    for (const attack of attacksOn(attestations).filter(({ name }) => name.includes(only))) {
      onProgress(`beside: ${attack.name}`)
      figures.push(await measure(path, attestations, seconds, attack))
    }
    return figures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  database: string,
  attestations: number,
  seconds: number,
  { name, ask, hangsUp = false, listeners = 0 }: Attack,
): Promise<BesideFigures> {
  // Nothing is kept between questions.
  const server = await startReadyProcess<{ readonly port: number }>(
    new URL('apiServer.ts', import.meta.url),
    [database, '0'],
  )
  try {
    const { port } = server.ready
    const single = (turn: number): Asked => ({
      path: `/scan/attestations/onchain_evm_${easChainId}_${attestationUid((turn * 7_919) % attestations)}`,
    })
    await askSteadily(port, single, 1)
    const rest = await askSteadily(port, single, seconds)
    const agent = new Agent({ keepAlive: true, maxSockets: attackerCount })
    const readMib = async () => Number(await server.ask('ownBytes')) / 1024 / 1024
    const restMib = await readMib()
    let [isOver, attacks, peakMib] = [false, listeners, 0]
    const stopListening = await listen(port, ask(0).path, listeners)
    const attacking = Array.from({ length: listeners > 0 ? 0 : attackerCount }, async (_, attacker) => {
      while (!isOver) {
        const status = await send(port, ask(attacks * attackerCount + attacker), agent, hangsUp ? 20 : null)
        attacks += 1
        if (!hangsUp && status === 404) throw new Error(`the attack ${name} asks for nothing`)
      }
    })
    const watching = (async () => {
      while (!isOver) {
        peakMib = Math.max(peakMib, await readMib())
        await setTimeout(200)
      }
    })()
    const beside = await askSteadily(port, single, seconds)
    isOver = true
    await Promise.all([...attacking, watching])
    agent.destroy()
    stopListening()
    await setTimeout(10_000)
    const [addedMib, keptMib] = [peakMib - restMib, (await readMib()) - restMib]
    const p99Ms = quantile(beside.tookMs, 0.99)
    const restMs = quantile(rest.tookMs, 0.99)
    const ratio = p99Ms / restMs
    return {
      name,
      p99Ms,
      ratio,
      refused: beside.refused,
      attacks,
      addedMib,
      keptMib,
      isWithin:
        p99Ms <= Math.min(p99MaxMs, ratioMax * restMs) &&
        addedMib <= addedMibMax &&
        keptMib <= keptMibMax &&
        beside.refused === 0,
    }
  } finally {
    await server.stop()
  }
}

interface Steady {
  /** Milliseconds of each request, ascending. */
  readonly tookMs: Float64Array
  readonly refused: number
}

/** Asks at a steady rate, whether or not the earlier requests were answered: those that wait are measured too. */
async function askSteadily(port: number, ask: (turn: number) => Asked, seconds: number): Promise<Steady> {
  const agent = new Agent({ keepAlive: true })
  const asked: Promise<{ readonly ms: number; readonly status: number | null }>[] = []
  const endMs = performance.now() + seconds * 1_000
  for (let turn = 0; performance.now() < endMs; turn++) {
    const startMs = performance.now()
    asked.push(
      send(port, ask(turn), agent, null).then((status) => ({ ms: performance.now() - startMs, status })),
    )
    await setTimeout(intervalMs)
  }
  const answers = await Promise.all(asked)
  agent.destroy()
  return {
    tookMs: Float64Array.from(answers.map(({ ms }) => ms)).sort(),
    refused: answers.filter(({ status }) => status !== 200).length,
  }
}

/** Opens a stream so many times, and reads nothing of it. */
async function listen(port: number, path: string, count: number): Promise<() => void> {
  const opened = Array.from({ length: count }, () => {
    const { promise, resolve, reject } = Promise.withResolvers<ClientRequest>()
    const options = { port, host: '127.0.0.1', path, headers: { 'last-event-id': '0-0' }, agent: new Agent() }
    const sent = request(options, (response) => {
      response.pause()
      resolve(sent)
    })
    sent.once('error', reject)
    sent.end()
    return promise
  })
  const streams = await Promise.all(opened)
  return () => {
    for (const stream of streams) stream.destroy()
  }
}

/** The status of the answer; null if no answer came. */
function send(
  port: number,
  { path, body }: Asked,
  agent: Agent,
  hangsUpAfterMs: number | null,
): Promise<number | null> {
  return new Promise((resolve) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = text === undefined ? {} : { 'content-type': 'application/json' }
    const method = text === undefined ? 'GET' : 'POST'
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent }, (response) => {
      response.resume()
      response.once('close', () => resolve(response.statusCode ?? null))
    })
    sent.once('error', () => resolve(null))
    sent.end(text)
    if (hangsUpAfterMs !== null) void setTimeout(hangsUpAfterMs).then(() => sent.destroy())
  })
}

const repeated = (count: number, field: (index: number) => string) =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: ${field(index)}`).join(' ')} }`

function attacksOn(attestations: number): readonly Attack[] {
  const eas = (query: string, variables = {}): Asked => ({
    path: `/eas/${easChainId}/graphql`,
    body: { query, variables },
  })
  const own = (query: string): Asked => ({ path: '/graphql', body: { query } })
  const id = (uid: string) => `onchain_evm_${easChainId}_${uid}`
  const deepSchemas =
    '{ schemata(take: 1000) { attestations(take: 100) { schema { attestations(take: 100) { schema { attestations(take: 100) { id data } } } } } } }'
  const byData = (turn: number) =>
    repeated(50, (index) => `attestations(take: 10, skip: ${turn + index}, orderBy: {data: asc}) { id data }`)
  const related = (turn: number) =>
    `{ attestations(take: 1500, skip: ${turn}) { id schema { id schema creator } } }`
  const containing = (turn: number) =>
    repeated(
      20,
      (index) =>
        `attestations(first: 10, filter: {schemaId: "${id(schemaUid(0))}", fields: [{name: "country", contains: "q${turn}x${index}"}]}) { nodes { id } totalCount }`,
    )
  const long = (turn: number) =>
    `{ attestations(take: ${turn % 2 === 0 ? 15 : 100}, where: {schemaId: {equals: "${longSchema}"}}) { id time data a${turn}: id } }`
  const aliases = (turn: number) =>
    `{ attestations(take: 1000, skip: ${turn}) { ${Array.from({ length: 100 }, (_, index) => `a${index}: data`).join(' ')} } }`
  const conditions = (turn: number) => ({
    AND: Array.from({ length: 3_000 }, (_, index) => ({
      recipient: { notIn: [account(index + 6_000), `0x${turn}`] },
    })),
  })
  const terms = (turn: number) =>
    Array.from({ length: 64 }, (_, index) => ({
      holds: { schema: id(schemaUid(index)), attester: 'any', maxAge: `${400_000_000 + index + turn}s` },
    }))
  const attesterTerms = (turn: number) =>
    Array.from({ length: 10 }, (_, index) => ({
      holds: {
        schema: id(schemaUid(0)),
        attester: 'any',
        distinctAttesters: 50,
        maxAge: `${400_000_000 + index + turn}s`,
      },
    }))
  return [
    { name: 'eas: a hundred aliases of a payload', ask: (turn) => eas(aliases(turn)) },
    { name: 'eas: pages of payloads of 1 MiB', ask: (turn) => eas(long(turn)) },
    {
      name: 'eas: three thousand conditions on each row',
      ask: (turn) =>
        eas('query Q($where: AttestationWhereInput) { attestations(take: 1000, where: $where) { id } }', {
          where: conditions(turn),
        }),
    },
    {
      name: 'gate: 64 terms on 1,500 subjects',
      ask: (turn) => ({
        path: '/scan/gate',
        body: {
          policy: { any: terms(turn), maxStaleness: '999999999s' },
          subjects: Array.from({ length: 1_500 }, (_, index) => account(index + turn)),
        },
      }),
    },
    {
      name: 'gate: ten terms of fifty attesters on 10,000 subjects',
      ask: (turn) => ({
        path: '/scan/gate',
        body: {
          policy: { all: attesterTerms(turn), maxStaleness: '999999999s' },
          subjects: Array.from({ length: 10_000 }, (_, index) => account(index)),
        },
      }),
    },
    {
      name: 'rest: a page of contents of 1 MiB',
      ask: () => ({ path: '/scan/attestations?include=content&size=100' }),
    },
    {
      name: 'events: thirty streams of contents that nobody reads',
      ask: () => ({ path: '/scan/events/content' }),
      listeners: 30,
    },
    {
      name: 'rest: a page of statements of 256 KiB',
      ask: (turn) => ({ path: `/scan/attestations?mode=offchain&size=100&page=${(turn % 2) + 1}` }),
    },
    {
      name: 'rest: statements of 256 KiB, decoded',
      ask: () => ({ path: '/scan/attestations?mode=offchain&include=decoded&size=100' }),
    },
    { name: 'eas: relations of schemas three deep', ask: () => eas(deepSchemas) },
    { name: 'eas: fifty lists ordered by data', ask: (turn) => eas(byData(turn)) },
    { name: 'eas: relations over 1,500 attestations', ask: (turn) => eas(related(turn)) },
    { name: 'graphql: twenty lists by a part of a field', ask: (turn) => own(containing(turn)) },
    { name: 'graphql: the same, hung up', ask: (turn) => own(containing(turn)), hangsUp: true },
    {
      name: 'rest: keyword beside schemaId',
      ask: (turn) => ({
        path: `/scan/attestations?schemaId=${id(schemaUid(0))}&keyword=0xa00000000&page=${(turn % 50) + 1}`,
      }),
    },
    {
      name: 'rest: holders',
      ask: (turn) => ({
        path: '/scan/holders',
        body: {
          schemaId: id(schemaUid(0)),
          addresses: Array.from({ length: 5_000 }, (_, index) => account(index + turn)),
        },
      }),
    },
    {
      name: 'rest: groups by recipient',
      ask: (turn) => ({
        path: `/scan/aggregate/attestations?by=recipient&attestedFrom=${1_700_000_000 + (turn % attestations)}&revoked=false`,
      }),
    },
    {
      name: 'rest: groups by a field, hung up',
      ask: (turn) => ({
        path: `/scan/aggregate/attestations?by=field[level]&schemaId=${id(schemaUid(0))}&attestedFrom=${1_700_000_000 + turn}`,
      }),
      hangsUp: true,
    },
  ]
}
