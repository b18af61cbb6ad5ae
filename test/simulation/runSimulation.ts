import { positionsPerBlock } from '@attestry/core/model/position.ts'
import { createRandom, mixSeeds } from '../simulator/random.ts'
import { createSimulatedChain, type ChainView } from '../simulator/simulatedChain.ts'
import { createSimulatedEndpoint } from '../simulator/simulatedEndpoint.ts'
import { createVirtualClock, type VirtualClock } from '../simulator/virtualClock.ts'
import { compareExport } from './compareExport.ts'
import { findPastProblems } from './comparePast.ts'
import { drawWorld } from './drawWorld.ts'
import { expectedIndex } from './expectedIndex.ts'
import { createSqliteWorld, type SimulatedDatabase } from './simulatedDatabase.ts'
import { createSimulatedReceivers } from './simulatedHooks.ts'
import { startSimulatedProcess, type SimulatedProcess } from './simulatedProcess.ts'

/** The outcome of one simulated life of an index. */
export interface SimulationResult {
  /** Differences between the index and the chain, and all other faults; empty on success. */
  readonly problems: readonly string[]
  /** Log of the life, for debugging a failure. */
  readonly story: readonly string[]
  readonly figures: SimulationFigures
}

export interface SimulationFigures {
  readonly ending: 'equal' | 'stopped'
  readonly crashes: number
  readonly reorganisations: number
  readonly requests: number
  readonly events: number
  /** Rows of the index of decoded fields, compared with the payloads. */
  readonly postings: number
  /** Messages that receivers of hooks took; 0 where the world has none. */
  readonly messages: number
  /** Time that passed in the simulated world. */
  readonly simulatedMs: number
}

export interface SimulationOptions {
  /** Actions of the world, instead of what the seed draws. */
  readonly actions?: number
  /** Creates the database of the index; SQLite by default. */
  readonly createDatabase?: (clock: VirtualClock) => Promise<SimulatedDatabase>
}

/** Longest time, in the simulated world, that the index may take to reach the head once all endpoints are well. */
const calmLimitMs = 6 * 3_600_000
/** The same for the index of fields, which takes only some attestations between two polls of the head. */
const fieldsLimitMs = 24 * 3_600_000
/** Time in which an index that rests at the head has read every final block once more, and mended what it had missed. */
const confirmMs = 15 * 60_000
/** Moments of the past that each life is asked about: each takes a tenth of a second. */
const pastMoments = 1
const startMs = 1_750_000_000_000

/**
 * Runs one life of an index, which `seed` decides entirely. The chain grows and is reorganised. Endpoints fail in every
 * way they know. The process is killed, stopped, reconfigured and restarted. In the end, everything comes to rest. Then
 * the index must equal the chain, or must have stopped at an event that no index can follow.
 */
export async function runSimulation(
  seed: number,
  options: SimulationOptions = {},
): Promise<SimulationResult> {
  const world = drawWorld(seed)
  const random = createRandom(mixSeeds(seed, 1))
  const story: string[] = []
  const clock = createVirtualClock(startMs)
  const chain = createSimulatedChain({
    ...world.chain,
    seed,
    blocks: world.initialBlocks,
    nowMs: clock.nowMs,
    genesisTimestamp: Math.floor(startMs / 1000 - world.initialBlocks * world.chain.blockTime),
  })
  let isCalm = false
  const endpoints = new Map(
    world.endpoints.map((draft, i) => {
      const drawn = createRandom(mixSeeds(seed, 2, i))
      const moody = createRandom(mixSeeds(seed, 3, i))
      return [
        draft.host,
        createSimulatedEndpoint(chain, () => draft.character(clock.nowMs() - startMs, isCalm, moody), drawn),
      ]
    }),
  )
  const receivers = world.hasHooks ? createSimulatedReceivers(createRandom(mixSeeds(seed, 5))) : null
  const database = await (options.createDatabase?.(clock) ?? createSqliteWorld())

  let life = 0
  let crashes = 0
  let reorganisations = 0
  const running: { process: SimulatedProcess | null } = { process: null }
  const processes: SimulatedProcess[] = []
  let abandoned: ChainView = chain.view()
  const problems: string[] = []
  const tell = (what: string) => void story.push(`${clock.nowMs() - startMs} ${what}`)

  const hasCrashed = () => running.process?.hasCrashed() === true

  function start(): SimulatedProcess {
    life++
    const config = world.config(life, isCalm)
    const crashAt = isCalm ? null : world.crashAt(life)
    tell(
      `life ${life} begins${crashAt === null ? '' : `, to crash at edge ${crashAt}`}: ${JSON.stringify(config)}`,
    )
    const process = startSimulatedProcess(
      database,
      config,
      { chain, endpoints, clock, seed: mixSeeds(seed, 4, life), receivers },
      crashAt,
    )
    running.process = process
    processes.push(process)
    return process
  }

  /** Builds of later lives would hide what one life did to the index of fields. */
  async function compareFields(): Promise<void> {
    const found = await database.findFieldProblems(false)
    problems.push(...found.problems.map((problem) => `after life ${life}: ${problem}`))
  }

  /** Lets time pass; a process that has crashed meanwhile is started again. */
  async function pass(durationMs: number): Promise<void> {
    const untilMs = clock.nowMs() + durationMs
    const timer = clock.sleep(durationMs, new AbortController().signal)
    void timer
    while (clock.nowMs() < untilMs) {
      await clock.runUntil(() => clock.nowMs() >= untilMs || hasCrashed())
      if (!hasCrashed()) continue
      crashes++
      tell('crashed')
      story.push(...(running.process?.logged ?? []))
      await compareFields()
      start()
    }
  }

  async function stop(): Promise<void> {
    const { process } = running
    if (process === null) return
    let stopped = false
    void process.stop().then(() => {
      stopped = true
    })
    await clock.runUntil(() => stopped || hasCrashed())
    if (hasCrashed()) crashes++
    story.push(...process.logged)
    tell('stopped')
    running.process = null
    await compareFields()
  }

  try {
    start()
    const actions = options.actions ?? world.actions
    for (let step = 0; step < actions; step++) {
      await pass(random.pick([0, 10, random.integer(1, 400), 3_000]))
      const happens = world.next(step, chain.head())
      tell(JSON.stringify(happens))
      switch (happens.kind) {
        case 'mine':
          for (let block = 0; block < happens.blocks; block++) {
            await pass(world.chain.blockTime * 1000)
            chain.mine(1)
          }
          break
        case 'reorganise':
          // Of blocks that it has yet to read an index remembers nothing that could show that they were replaced though
          // final.
          if (happens.depth > world.finality && running.process?.indexer.status().phase !== 'following') break
          abandoned = chain.view()
          chain.reorganise(happens.depth, happens.length)
          reorganisations++
          break
        case 'return':
          // Back to the branch that was left, if that costs no more blocks than may change.
          if (isNear(abandoned, chain.view(), world.finality - world.lagBlocks - 1)) {
            const now = chain.view()
            chain.returnTo(abandoned, 1)
            abandoned = now
            reorganisations++
            // All endpoints hear of the new head before it grows again.
            await pass(world.lagBlocks * world.chain.blockTime * 1000)
          }
          break
        case 'restart':
          await stop()
          start()
          break
        case 'kill':
          running.process?.crashSoon()
          break
        case 'sleep':
          await pass(happens.ms)
          break
      }
    }
    await stop()
    isCalm = true
    receivers?.calm()
    tell('calm')
    // Logs that were late are found when their blocks are final.
    const isLate = world.endpoints.some((endpoint) => endpoint.isLate)
    chain.mine(isLate ? world.finality + 1 : 1)
    while (hasOpenClaim(chain.view())) chain.mine(1)
    const last = start()
    const calmEndMs = clock.nowMs() + calmLimitMs
    const isAtHead = () => {
      const { phase, indexedBlock } = last.indexer.status()
      return phase === 'following' && indexedBlock === chain.head()
    }
    await clock.runUntil(() => isAtHead() || last.hasEnded() || clock.nowMs() > calmEndMs)
    const hasArrived = () => isAtHead() && last.hasIndexedFields()
    const fieldsEndMs = clock.nowMs() + fieldsLimitMs
    await clock.runUntil(() => hasArrived() || last.hasEnded() || clock.nowMs() > fieldsEndMs)
    // Hooks of final records tell those of confirmed blocks.
    if ((isLate || receivers !== null) && hasArrived()) {
      await pass(confirmMs)
      await clock.runUntil(() => hasArrived() || last.hasEnded() || clock.nowMs() > fieldsEndMs)
    }
    const { phase, lastError, indexedBlock } = last.indexer.status()
    const arrived = hasArrived()
    const deliveredEndMs = clock.nowMs() + calmLimitMs
    while (arrived && !(await last.hasDelivered()) && clock.nowMs() <= deliveredEndMs) await pass(10_000)
    if (arrived && !(await last.hasDelivered())) problems.push('the hooks have not told of everything')
    await stop()
    let postings = 0
    if (world.ending === 'stopped' && phase === 'stopped') {
      if (lastError === null || !world.stoppedBy.test(lastError))
        problems.push(`stopped by the wrong error: ${lastError}`)
    } else if (!arrived) problems.push(`at block ${indexedBlock} of ${chain.head()} (${phase}, ${lastError})`)
    else {
      const expected = expectedIndex(chain, world.config(life, true).contracts)
      const exported = await database.readExport()
      problems.push(...compareExport(exported, expected), ...(await database.findDigestProblems(exported)))
      const fields = await database.findFieldProblems(true)
      problems.push(...fields.problems)
      postings = fields.postings
      problems.push(...(await comparePast(exported)))
      if (receivers !== null) {
        const reader = database.openReader()
        const [end] = await reader.listChainEnds()
        await reader.close()
        problems.push(...receivers.findProblems(exported, Math.floor((end?.final ?? 0) / positionsPerBlock)))
      }
    }
    return {
      problems,
      story,
      figures: {
        ending: phase === 'stopped' ? 'stopped' : 'equal',
        crashes,
        reorganisations,
        requests: [...endpoints.values()].reduce((sum, endpoint) => sum + endpoint.httpRequests(), 0),
        events: chain.events(chain.view(), 0, chain.head()).length,
        postings,
        messages: receivers?.messageCount() ?? 0,
        simulatedMs: clock.nowMs() - startMs,
      },
    }
  } finally {
    for (const process of processes) if (process.hasCrashed()) process.bury()
    await database.remove()
  }

  /** The newest state is the same whatever the past was: a second index says what its answers were. */
  async function comparePast(exported: readonly string[]): Promise<readonly string[]> {
    const reader = database.openReader()
    try {
      const contracts = world.config(life, true).contracts
      const drawn = createRandom(mixSeeds(seed, 6))
      const subject = { chain, contracts, reader, exported, nowMs: clock.nowMs(), random: drawn }
      return await findPastProblems(subject, pastMoments)
    } finally {
      await reader.close()
    }
  }

  /**
   * A record that claims to be revoked at the time of the newest block may still get its event: nobody can tell yet.
   */
  function hasOpenClaim(view: ChainView): boolean {
    const timestamp = chain.block(view, view.head)?.timestamp
    return chain
      .events(view, Math.max(0, view.head - 200), view.head)
      .some((event) => event.kind === 'signAttestation' && event.record.bornRevokedAt === timestamp)
  }
}

/** Whether the change from one view to the other reverts at most `finality` blocks. */
function isNear(to: ChainView, from: ChainView, finality: number): boolean {
  const toForks = new Set(to.segments.map(({ fork }) => fork))
  const shared = from.segments.filter(({ fork }) => toForks.has(fork))
  if (shared.length === from.segments.length && shared.length === to.segments.length) return false
  const diverged = [...from.segments.slice(shared.length), ...to.segments.slice(shared.length)]
  const fromBlock = Math.min(...diverged.map((segment) => segment.fromBlock))
  // On a chain shorter than before, the index would wait until it has grown.
  return from.head - fromBlock + 1 <= finality && to.head >= from.head
}
