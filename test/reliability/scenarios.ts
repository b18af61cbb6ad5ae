import { setTimeout as delay } from 'node:timers/promises'
import type { SpawnedAttestry } from '../harness/spawnAttestry.ts'
import type { SimulatedReply } from '../simulator/simulatedEndpoint.ts'
import { signShape, type ChainTraits } from '../simulator/simulatedChain.ts'
import { isLogged, type TrueEvent } from '../simulator/trueRecords.ts'
import type { Subject, SubjectTraits } from './subject.ts'

/** The verdict of one run of a scenario on a check. */
export interface Verdict {
  readonly check: number
  readonly isHeld: boolean
  /** The measurement, or the fault. */
  readonly figure: string
}

export interface Scenario extends SubjectTraits {
  readonly name: string
  readonly checks: readonly number[]
  /** Whether only PostgreSQL, a server of its own, can be away. */
  readonly needsServer?: boolean
  run(subject: Subject): Promise<readonly Verdict[]>
}

/** The promise that each check tests. */
export const checkNames: ReadonlyMap<number, string> = new Map([
  [1, 'indexes again'],
  [2, 'follows the head again'],
  [3, 'every row is there'],
  [4, 'no row twice'],
  [5, 'goes on from its own place'],
  [6, 'no gap'],
  [7, 'nothing twice'],
  [8, 'whole batches only'],
  [9, 'exit 0 within 15 s'],
  [10, 'checkpoint and rows agree'],
  [11, 'one block with other values'],
  [12, 'blocks whose events are gone'],
  [13, 'sixty blocks: handled, or stopped and said'],
  [14, 'reorganised while it was down'],
  [15, 'three reorganisations within 12 s'],
  [16, 'reorganised while a backfill runs'],
  [17, 'alive while the endpoint is out'],
  [18, 'resumes within 30 s'],
  [19, 'nothing lost'],
  [20, 'requests below 20 times the healthy rate'],
  [21, 'narrows by range'],
  [22, 'narrows by results'],
  [23, 'widens again'],
  [24, 'no rewind when the head goes back'],
  [25, 'no second row of a range that is sent twice'],
  [26, 'a hash that is gone is a reorganisation'],
  [27, 'contract reads that return nothing'],
  [28, 'NUL in a text'],
  [29, 'log indexes of 2^32 - 4 and more'],
  [30, 'the largest uint256'],
  [31, '500 blocks without an event'],
  [32, 'median delay within a block'],
  [33, 'p99 of the delay below 10 s'],
  [34, 'never more than five blocks behind for 15 s'],
  [35, 'back to normal within 30 s of a reorganisation'],
])

const outMs = 30_000

/** Long gaps without an event, payloads of the fields of their schemas, records that cannot be read. */
const rareTraits: Partial<ChainTraits> = {
  shape: signShape({ blocks: 3_000, eventBlocks: 6, attestations: 300 }),
  hasPayloads: true,
  hasUnreadable: true,
}

export const scenarios: readonly Scenario[] = [
  { name: 'database away', checks: [1, 2, 3, 4], blocks: 20_000, needsServer: true, run: loseDatabase },
  { name: 'killed', checks: [5, 6, 7, 8], blocks: 20_000, run: kill },
  { name: 'asked to stop', checks: [9, 10], blocks: 20_000, run: stop },
  { name: 'another block', checks: [11], blocks: 300, run: (subject) => reorganise(subject, 11, 1) },
  { name: 'events gone', checks: [12], blocks: 300, run: (subject) => reorganise(subject, 12, 10) },
  { name: 'sixty blocks', checks: [13], blocks: 300, run: reorganiseDeep },
  { name: 'while down', checks: [14], blocks: 300, run: reorganiseWhileDown },
  { name: 'three in 12 s', checks: [15], blocks: 300, run: reorganiseThrice },
  { name: 'in backfill', checks: [16], blocks: 20_000, run: reorganiseInBackfill },
  { name: 'endpoint out', checks: [17, 18, 19, 20], blocks: 300, run: failEndpoint },
  { name: 'endpoint refuses', checks: [21, 22, 23], blocks: 60_000, run: refuse },
  { name: 'head goes back', checks: [24], blocks: 300, run: fallBack },
  { name: 'ranges twice', checks: [25], blocks: 2_000, run: repeatLogs },
  { name: 'hash gone', checks: [26], blocks: 300, run: loseHash },
  { name: 'values', checks: [27, 28, 29, 30, 31], blocks: 24_000, traits: rareTraits, run: holdValues },
  { name: 'latency', checks: [32, 33, 34, 35], blocks: 300, run: keepUp },
]

async function loseDatabase(subject: Subject): Promise<readonly Verdict[]> {
  const { chain, database, postgres } = subject
  if (postgres === null) throw new TypeError('SQLite cannot be away')
  const away = async () => {
    await postgres.kill()
    await delay(10_000)
    await postgres.restart()
    chain.mine(1)
  }
  subject.character = { ...subject.character, latencyMs: { min: 100, max: 100 } }
  const indexer = subject.start()
  await subject.waitFor('the first commit', async () => await hasCommitted(subject))
  await away()
  const before = (await database.readCheckpoint()) ?? 0
  const resumed = await subject.waitFor(
    'indexing',
    async () => ((await database.readCheckpoint()) ?? 0) > before,
  )
  await subject.reachHead()
  await away()
  const followed = await subject.reachHead()
  const problems = await subject.compare(indexer)
  return [
    { check: 1, isHeld: true, figure: seconds(resumed) },
    { check: 2, isHeld: true, figure: seconds(followed) },
    ...equal([3, 4], problems),
  ]
}

async function kill(subject: Subject): Promise<readonly Verdict[]> {
  const { database } = subject
  subject.character = { ...subject.character, latencyMs: { min: 50, max: 50 } }
  const verdicts: Verdict[] = []
  let indexer = subject.start()
  for (let moment = 0; moment < 3; moment++) {
    const before = (await database.readCheckpoint()) ?? -1
    await subject.waitFor('a commit', async () => ((await database.readCheckpoint()) ?? -1) > before)
    indexer.child.kill('SIGKILL')
    await indexer.waitForExit()
    const checkpoint = (await database.readCheckpoint()) ?? -1
    verdicts.push(await holdsWholeBatches(subject, 8))
    indexer = subject.start()
    // The next head lies above, so that the checkpoint must move.
    subject.chain.mine(1)
    let lowest = checkpoint
    await subject.waitFor('indexing', async () => {
      const now = (await database.readCheckpoint()) ?? -1
      lowest = Math.min(lowest, now)
      return now > checkpoint
    })
    verdicts.push({ check: 5, isHeld: lowest === checkpoint, figure: `from block ${checkpoint}` })
    subject.chain.mine(500)
  }
  await subject.reachHead()
  return [...verdicts, ...equal([6, 7], await subject.compare(indexer))]
}

async function stop(subject: Subject): Promise<readonly Verdict[]> {
  subject.character = { ...subject.character, latencyMs: { min: 100, max: 100 } }
  const indexer = subject.start()
  await subject.waitFor('a commit', async () => await hasCommitted(subject))
  const startedMs = performance.now()
  indexer.child.kill('SIGTERM')
  const { code } = await indexer.waitForExit(15_000)
  const took = (performance.now() - startedMs) / 1_000
  return [
    { check: 9, isHeld: code === 0, figure: `exit ${code} after ${seconds(took)}` },
    await holdsWholeBatches(subject, 10),
  ]
}

async function reorganise(subject: Subject, check: number, depth: number): Promise<readonly Verdict[]> {
  const indexer = await follow(subject)
  subject.chain.reorganise(depth, depth + 1)
  const took = await subject.reachHead()
  return equal([check], await subject.compare(indexer), seconds(took))
}

/** Deeper than `finality`: the chain stops, and its log says why. */
async function reorganiseDeep(subject: Subject): Promise<readonly Verdict[]> {
  const indexer = await follow(subject)
  subject.chain.reorganise(60, 61)
  await indexer.waitForLine(/reorganised deeper than/)
  return [{ check: 13, isHeld: true, figure: 'stopped, and said' }]
}

async function reorganiseWhileDown(subject: Subject): Promise<readonly Verdict[]> {
  const indexer = await follow(subject)
  indexer.child.kill('SIGTERM')
  await indexer.waitForExit()
  subject.chain.reorganise(6, 8)
  const again = subject.start()
  const took = await subject.reachHead()
  return equal([14], await subject.compare(again), seconds(took))
}

async function reorganiseThrice(subject: Subject): Promise<readonly Verdict[]> {
  const indexer = await follow(subject)
  for (let i = 0; i < 3; i++) {
    subject.chain.reorganise(3, 4)
    await delay(3_000)
  }
  subject.chain.mine(1)
  const took = await subject.reachHead()
  return equal([15], await subject.compare(indexer), seconds(took))
}

async function reorganiseInBackfill(subject: Subject): Promise<readonly Verdict[]> {
  subject.character = { ...subject.character, latencyMs: { min: 100, max: 100 } }
  const indexer = subject.start()
  await subject.waitFor('a commit', async () => await hasCommitted(subject))
  subject.chain.reorganise(8, 9)
  await subject.reachHead()
  return equal([16], await subject.compare(indexer))
}

const faults: Readonly<Record<string, () => SimulatedReply>> = {
  'JSON-RPC errors': () =>
    answer(200, { jsonrpc: '2.0', id: null, error: { code: -32_603, message: 'Internal error' } }),
  '429': () => answer(429, {}),
  '502': () => answer(502, {}),
  silence: () => ({ kind: 'hang' }),
}

async function failEndpoint(subject: Subject): Promise<readonly Verdict[]> {
  const indexer = await follow(subject)
  const blocks = setInterval(() => subject.chain.mine(1), 1_000)
  const verdicts: Verdict[] = []
  try {
    for (const [name, fault] of Object.entries(faults)) {
      await subject.reachHead()
      const healthy = await countRequests(subject, 10_000)
      subject.instead = fault
      const failing = await countRequests(subject, outMs)
      subject.instead = null
      const isAlive = indexer.child.exitCode === null
      verdicts.push({ check: 17, isHeld: isAlive, figure: isAlive ? '' : name })
      const took = await subject.reachHead()
      verdicts.push({ check: 18, isHeld: took < 30, figure: `${name}: ${seconds(took)}` })
      const rates = `${name}: ${failing.toFixed(1)}/s, healthy ${healthy.toFixed(1)}/s`
      verdicts.push({ check: 20, isHeld: failing < 20 * healthy, figure: rates })
    }
  } finally {
    clearInterval(blocks)
  }
  await subject.reachHead()
  return [...verdicts, ...equal([19], await subject.compare(indexer))]
}

/** Most blocks of a request at first and later, and most logs. The logs of a request are fewer at the later width. */
async function refuse(subject: Subject): Promise<readonly Verdict[]> {
  const { chain, endpoint, database } = subject
  const asked = () => endpoint.requests.get('eth_getLogs') ?? 0
  const narrow = { max: 100, refusal: 5 }
  subject.character = { logRange: narrow, results: { max: 40, refusal: 0 } }
  const indexer = subject.start()
  await subject.waitFor('fifty requests', () => asked() >= 50)
  const fromBlock = (await database.readCheckpoint()) ?? 0
  const calls = asked()
  subject.character = { logRange: { max: 1_000, refusal: 5 } }
  await subject.reachHead()
  const width = (chain.head() - fromBlock) / (asked() - calls)
  const problems = await subject.compare(indexer)
  return [
    ...equal([21, 22], problems),
    {
      check: 23,
      isHeld: width > 2 * narrow.max,
      figure: `${Math.round(width)} blocks a call, ${narrow.max} if not widened`,
    },
  ]
}

async function fallBack(subject: Subject): Promise<readonly Verdict[]> {
  const { chain, database } = subject
  const indexer = await follow(subject)
  for (let i = 0; i < 5; i++) {
    await delay(1_000)
    chain.mine(1)
  }
  await subject.reachHead()
  const head = chain.head()
  subject.character = { ...subject.character, lagMs: 4_000 }
  let lowest = head
  const endMs = performance.now() + 3_000
  while (performance.now() < endMs) {
    lowest = Math.min(lowest, (await database.readCheckpoint()) ?? -1)
    await delay(50)
  }
  subject.character = { ...subject.character, lagMs: 0 }
  chain.mine(1)
  const took = await subject.reachHead()
  const problems = await subject.compare(indexer)
  const isHeld = lowest === head && problems.length === 0
  return [{ check: 24, isHeld, figure: problems[0] ?? `${head - lowest} blocks back; ${seconds(took)}` }]
}

interface LogsAnswer {
  result?: readonly unknown[]
}

/** Every answer with logs holds each of them twice, and then those of the answer before. */
async function repeatLogs(subject: Subject): Promise<readonly Verdict[]> {
  let before: readonly unknown[] = []
  let repeated = 0
  subject.instead = (body, answer) => {
    const reply = answer()
    if (reply.kind !== 'answer' || !body.includes('eth_getLogs')) return reply
    const parsed = JSON.parse(reply.body) as LogsAnswer | LogsAnswer[]
    for (const each of [parsed].flat()) {
      const { result: logs } = each
      if (logs === undefined || logs.length === 0) continue
      each.result = [...logs, ...logs, ...(repeated % 5 === 0 ? before : [])]
      before = logs
      repeated++
    }
    return { ...reply, body: JSON.stringify(parsed) }
  }
  const indexer = await follow(subject)
  subject.chain.mine(20)
  await subject.reachHead()
  return equal([25], await subject.compare(indexer), `${repeated} answers`)
}

/** Blocks are replaced between the answer with their header and the request for their logs by hash. */
async function loseHash(subject: Subject): Promise<readonly Verdict[]> {
  const { chain } = subject
  const indexer = await follow(subject)
  let lost = 0
  subject.instead = (body) => {
    if (!body.includes('"blockHash"') || lost === 5) return null
    lost++
    chain.reorganise(2, 3)
    return null
  }
  for (let i = 0; i < 60; i++) {
    chain.mine(1)
    await delay(300)
  }
  const took = await subject.reachHead()
  const problems = await subject.compare(indexer)
  return [
    {
      check: 26,
      isHeld: lost > 0 && took < 10 && problems.length === 0,
      figure: problems[0] ?? `${lost} times; ${seconds(took)}`,
    },
  ]
}

/** The values in a backfill and at the head: each must be there, and the index equal to the chain. */
async function holdValues(subject: Subject): Promise<readonly Verdict[]> {
  const { chain } = subject
  subject.character = { ...subject.character, logNumbering: 'below0' }
  const indexer = await follow(subject)
  for (let mined = 0; mined < 3_000; mined += 300) {
    chain.mine(300)
    await subject.reachHead()
  }
  const problems = await subject.compare(indexer)
  const events = chain.events(chain.view(), 0, chain.head()).filter(isLogged)
  const records = events.flatMap((event) => (event.kind === 'signAttestation' ? [event] : []))
  const counts: readonly (readonly [number, number])[] = [
    [27, records.filter(({ record, id }) => record.unreadable && id % 2 === 1).length],
    [28, records.filter(({ record }) => !record.unreadable && record.indexingKey.includes('\0')).length],
    [29, events.filter(({ logIndex }) => logIndex < 4).length],
    [30, records.filter(({ record }) => record.data.includes('f'.repeat(64))).length],
    [31, countGaps(events, 500)],
  ]
  return counts.map(([check, count]) => ({
    check,
    isHeld: count > 0 && problems.length === 0,
    figure: problems[0] ?? `${count} times`,
  }))
}

/** How often so many blocks have no event. */
function countGaps(events: readonly TrueEvent[], blocks: number): number {
  return events.filter((event, n) => event.block - (events[n - 1]?.block ?? 0) > blocks).length
}

const blockMs = 2_000
const latencyBlocks = 150

/** A block every two seconds, five minutes long; thirty seconds before the end three blocks are replaced. */
async function keepUp(subject: Subject): Promise<readonly Verdict[]> {
  const { chain, database } = subject
  const indexer = await follow(subject)
  const startedMs = performance.now()
  const delaysMs: number[] = []
  let [behindMs, reorganisedAtMs, recoveredMs] = [0, 0, 0]
  const minedAtMs = new Map<number, number>()
  let behindSinceMs: number | null = null
  const isOver = () => performance.now() - startedMs > blockMs * latencyBlocks + 30_000
  for (let mined = 0; mined < latencyBlocks || minedAtMs.size > 0;) {
    const nowMs = performance.now()
    if (mined < latencyBlocks && nowMs - startedMs >= mined * blockMs) {
      mined++
      if (mined === latencyBlocks - 15) {
        chain.reorganise(3, 4)
        reorganisedAtMs = nowMs
      } else chain.mine(1)
      minedAtMs.set(chain.head(), nowMs)
    }
    const checkpoint = (await database.readCheckpoint()) ?? -1
    for (const [block, atMs] of minedAtMs) {
      if (block > checkpoint) continue
      delaysMs.push(performance.now() - atMs)
      minedAtMs.delete(block)
      if (reorganisedAtMs > 0 && recoveredMs === 0) recoveredMs = performance.now() - reorganisedAtMs
    }
    behindSinceMs = chain.head() - checkpoint > 5 ? (behindSinceMs ?? nowMs) : null
    if (behindSinceMs !== null) behindMs = Math.max(behindMs, nowMs - behindSinceMs)
    if (isOver()) throw new Error(`${minedAtMs.size} blocks never came`)
    await delay(20)
  }
  const problems = await subject.compare(indexer)
  if (problems[0] !== undefined) throw new Error(problems[0])
  delaysMs.sort((a, b) => a - b)
  const at = (share: number) => delaysMs[Math.ceil(share * delaysMs.length) - 1] ?? Number.NaN
  const verdict = (check: number, ms: number, maxMs: number) => ({
    check,
    isHeld: ms <= maxMs,
    figure: seconds(ms / 1_000),
  })
  return [
    verdict(32, at(0.5), blockMs),
    verdict(33, at(0.99), 10_000),
    verdict(34, behindMs, 15_000),
    verdict(35, recoveredMs, 30_000),
  ]
}

async function follow(subject: Subject): Promise<SpawnedAttestry> {
  const indexer = subject.start()
  await subject.reachHead()
  return indexer
}

async function hasCommitted({ database }: Subject): Promise<boolean> {
  return (await database.readCheckpoint()) !== null
}

/** Whether the database holds exactly the attestations up to its checkpoint. */
async function holdsWholeBatches(subject: Subject, check: number): Promise<Verdict> {
  const { chain, database } = subject
  const checkpoint = (await database.readCheckpoint()) ?? -1
  const lines = await subject.exportLines()
  const stored = lines.filter((line) => line.startsWith('{"type":"attestation"')).length
  const events = chain.events(chain.view(), 0, checkpoint)
  const due = events.filter((event) => event.kind === 'signAttestation' && !event.record.unreadable).length
  const isHeld = stored === due && (await database.checkIntegrity()).every((result) => result === 'ok')
  return { check, isHeld, figure: `${stored} of ${due} attestations` }
}

/** Requests a second. */
async function countRequests(subject: Subject, durationMs: number): Promise<number> {
  const before = subject.requests()
  await delay(durationMs)
  return (subject.requests() - before) / (durationMs / 1_000)
}

function equal(checks: readonly number[], problems: readonly string[], figure = ''): readonly Verdict[] {
  return checks.map((check) => ({ check, isHeld: problems.length === 0, figure: problems[0] ?? figure }))
}

function answer(status: number, body: unknown): SimulatedReply {
  return {
    kind: 'answer',
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`
}
