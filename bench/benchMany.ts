import { projections } from '@attestry/test/harness/projections.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { formatCompositeId, localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { createRandom } from '@attestry/test/simulator/random.ts'
import { fillIndex } from './fillIndex.ts'
import { median } from './quantile.ts'
import { createSampleIndex, lastBlockOf, type SampleOptions } from './sampleIndex.ts'

/** How many ids or addresses a request names: as many as it may. */
export const namedCount = 10_000

export interface ManyOptions {
  readonly sample: SampleOptions
  /** Requests of each case; the first two warm up and do not count. */
  readonly rounds: number
  readonly onProgress: (line: string) => void
}

/** One request over HTTP, medians. */
export interface ManyFigures {
  readonly name: string
  readonly elapsedMs: number
  /** CPU time of the process, which is also the client. */
  readonly cpuMs: number
  readonly bodyBytes: number
  readonly targetMs: number
}

/**
 * Asks for the status of many attestations, for the holders among many addresses, and for the verdicts of a policy: ids
 * and addresses drawn from the whole index, none of them twice. The server and its client are one process over an index in SQLite.
 */
export async function benchMany({
  sample,
  rounds,
  onProgress,
}: ManyOptions): Promise<readonly ManyFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  const index = createSampleIndex(sample)
  onProgress(`many: filling an index with ${sample.attestations} attestations`)
  const writer = openSqliteWriter(path, { projections })
  await fillIndex(writer, index)
  await writer.close()
  const reader = openSqliteReader(path, { projections })
  const app = createServer({ reader, limits: { load: { lagMaxMs: Infinity } } })
  try {
    const url = `http://127.0.0.1:${await listenLocally(app)}`
    const random = createRandom(sample.seed)
    const counters = drawCounters(sample.attestations, () => random.next())
    const ids = counters.map((counter) => idOf(index.chainId, counter))
    const addresses = counters.map((counter) => index.recipientOf(counter))
    const schemaId = idOf(index.chainId, 1)
    const policy = {
      all: [
        { holds: { schema: schemaId, attester: 'any' } },
        { not: { holds: { schema: schemaId, attester: [index.attester(0)] } } },
        { not: { holds: { schema: idOf(index.chainId, 2), attester: 'any' } } },
      ],
      // The blocks of the index are old.
      maxStaleness: '10000w',
    }
    const cases = [
      { name: 'status', path: '/scan/attestations/status', body: { ids }, targetMs: 100 },
      { name: 'holders', path: '/scan/holders', body: { addresses, schemaId }, targetMs: 300 },
      {
        name: 'holders by an attester',
        path: '/scan/holders',
        body: { addresses, schemaId, attester: index.attester(0) },
        targetMs: 300,
      },
      {
        name: 'gate of three terms',
        path: '/scan/gate',
        body: { policy, subjects: addresses },
        targetMs: 500,
      },
    ]
    const figures: ManyFigures[] = []
    for (const { name, path: asked, body, targetMs } of cases) {
      onProgress(`many: ${name}`)
      const ask = (): RequestInit & { readonly url: string } => ({
        url: `${url}${asked}`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      figures.push({ name, targetMs, ...(await measure(ask, rounds)) })
    }
    onProgress('many: group by day')
    let page = 0
    // Each request asks for another page: an answer that is kept costs nothing.
    const ask = () => ({
      url: `${url}/scan/aggregate/attestations?by=day&schemaId=${schemaId}&page=${++page}`,
    })
    figures.push({ name: 'group by day of a schema', targetMs: 50, ...(await measure(ask, rounds)) })
    const lastBlock = lastBlockOf(sample)
    for (const [name, listed] of [
      ['total of everything at an old block', ''],
      ['total of a schema at an old block', `&schemaId=${schemaId}`],
    ] as const) {
      onProgress(`many: ${name}`)
      const askTotal = () => {
        const block = 1 + Math.floor(random.next() * (lastBlock - 1))
        return { url: `${url}/scan/attestations?size=1${listed}&asOf=${index.chainId}:${block}` }
      }
      figures.push({ name, targetMs: 20, ...(await measure(askTotal, rounds)) })
    }
    return figures
  } finally {
    await app.close()
    await reader.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  ask: () => RequestInit & { readonly url: string },
  rounds: number,
): Promise<Pick<ManyFigures, 'elapsedMs' | 'cpuMs' | 'bodyBytes'>> {
  const elapsed: number[] = []
  const cpu: number[] = []
  let bodyBytes = 0
  for (let round = 0; round < rounds + 2; round++) {
    const before = process.cpuUsage()
    const startMs = performance.now()
    const { url, ...request } = ask()
    const headers = new Headers(request.headers)
    headers.set('accept-encoding', 'identity')
    const response = await fetch(url, { ...request, headers })
    bodyBytes = (await response.arrayBuffer()).byteLength
    if (response.status !== 200) throw new Error(`${url} answered with status ${response.status}`)
    if (round < 2) continue
    elapsed.push(performance.now() - startMs)
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1000)
  }
  return { elapsedMs: median(elapsed), cpuMs: median(cpu), bodyBytes }
}

/** Counters of attestations, none twice, in no order. */
function drawCounters(attestations: number, next: () => number): number[] {
  const drawn = new Set<number>()
  while (drawn.size < Math.min(namedCount, attestations)) drawn.add(1 + Math.floor(next() * attestations))
  return [...drawn]
}

function idOf(chainId: number, counter: number): string {
  return formatCompositeId({ chainId, localId: localIdOfCounter(BigInt(counter)) })
}
