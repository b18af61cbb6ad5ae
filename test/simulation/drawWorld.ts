import type { EventCounts } from '../simulator/planEpoch.ts'
import { createRandom, mixSeeds, type Random } from '../simulator/random.ts'
import { rangeRefusals, resultRefusals } from '../simulator/refusals.ts'
import { noEvents, type ChainTraits } from '../simulator/simulatedChain.ts'
import { logNumberings, plainCharacter, type EndpointCharacter } from '../simulator/simulatedEndpoint.ts'
import type { ProcessConfig } from './simulatedProcess.ts'

/** Everything about a simulated world that is drawn from its seed before it begins to move. */
export interface World {
  readonly chain: Omit<ChainTraits, 'genesisTimestamp'>
  readonly initialBlocks: number
  readonly finality: number
  /** The most blocks that an endpoint may be behind. */
  readonly lagBlocks: number
  readonly endpoints: readonly EndpointDraft[]
  /** How many things happen before all comes to rest. */
  readonly actions: number
  /** Whether the processes deliver to receivers, too. */
  readonly hasHooks: boolean
  next(step: number, head: number): WorldAction
  /** The configuration of the process of a life; in the calm, the final one. */
  config(life: number, isCalm: boolean): ProcessConfig
  /** The edge that a life does not survive; null if nothing kills it. */
  crashAt(life: number): number | null
  /**
   * `stopped`: the chain does what no index can follow; the index must be equal all the same or have stopped for it.
   */
  readonly ending: 'equal' | 'stopped'
  readonly stoppedBy: RegExp
}

export interface EndpointDraft {
  readonly host: string
  /** The most that it is behind in all. */
  readonly lagMaxMs: number
  /** Whether it gives logs, or their true indexes, later than their blocks. */
  readonly isLate: boolean
  /** Its character at a time since the beginning. `moody` belongs to this endpoint. */
  character(elapsedMs: number, isCalm: boolean, moody: Random): EndpointCharacter
}

export type WorldAction =
  | { readonly kind: 'mine'; readonly blocks: number }
  | { readonly kind: 'reorganise'; readonly depth: number; readonly length: number }
  /** Back to the branch that was left last. */
  | { readonly kind: 'return' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'kill' }
  | { readonly kind: 'sleep'; readonly ms: number }

const chainId = 31_337

export function drawWorld(seed: number): World {
  const random = createRandom(mixSeeds(seed, 0xd0))
  const hasEas = random.chance(0.7)
  const hasSign = !hasEas || random.chance(0.8)
  // Drawn apart, so that each seed's world is otherwise the same without Verax.
  const ofVerax = createRandom(mixSeeds(seed, 0x7e4a))
  const hasVerax = ofVerax.chance(0.4)
  const ofUnread = createRandom(mixSeeds(seed, 0x7e4b))
  const hasPortals = ofUnread.chance(0.5)
  const mayImport = ofUnread.chance(0.4)
  const isLong = random.chance(0.05)
  const blocks = isLong ? random.pick([1_000, 50_000]) : random.pick([8, 20, 64])
  const blockTime = random.pick([0.25, 2, 12])
  const finality = random.pick([0, 1, 4, 12, 40])
  // The times of records do not distinguish several blocks of one second. If each block is final at once, only `verify`
  // finds a record without a log at the head.
  const hasImports = hasVerax && mayImport && blockTime >= 1 && finality > 0
  const isDeep = finality > 0 && random.chance(0.05)
  const initialBlocks = isLong ? blocks * random.integer(2, 40) : random.integer(1, random.pick([20, 300]))
  const startBlock = random.chance(0.1) ? random.integer(0, initialBlocks) : 0
  const drawnContracts = {
    name: 'Simulated',
    sign: hasSign ? startBlock : null,
    verax: hasVerax ? startBlock : null,
    eas: hasEas ? (random.chance(0.1) ? random.integer(0, initialBlocks) : startBlock) : null,
    transactionSenders: random.chance(0.1),
  }
  // Both protocols in the end, though the process may begin with one.
  const addsLater = hasSign && hasEas && random.chance(0.1)
  const endpointCount = random.pick([1, 1, 2, 3, 4])
  const faultChance = random.pick([0, 0.02, 0.1, 0.3])
  const crashiness = random.pick([0, 0.3, 0.9])
  const reorganisationChance = finality === 0 ? 0 : random.pick([0, 0.1, 0.4])
  const deepStep = random.integer(2, 12)
  const traits: Omit<ChainTraits, 'genesisTimestamp'> = {
    shape: {
      blocks,
      eventBlocks: random.integer(1, Math.min(blocks, random.pick([2, 12, 64]))),
      events: {
        ...drawEvents(random, hasSign, hasEas),
        ...(hasVerax ? drawVeraxEvents(ofVerax) : {}),
        ...(hasVerax && hasPortals ? drawVeraxMetadata(ofUnread) : {}),
        ...(hasImports ? { veraxImport: ofUnread.integer(1, 3) } : {}),
      },
    },
    blockTime,
    recipientAccounts: random.pick([5, 40]),
    hasUnreadable: random.chance(0.3),
    hasPayloads: true,
    legacySignBelow: random.chance(0.2) ? random.integer(0, initialBlocks + 20) : 0,
    registersWithRecord: random.chance(0.5),
    // From one version on, the registry emits logs for imports. Its upgrade is long ago, or has yet to come.
    veraxSilentBelow: hasImports
      ? ofUnread.pick([Math.max(0, initialBlocks - 150), Number.POSITIVE_INFINITY])
      : 0,
  }
  const hasMulticall = random.chance(0.6)
  // Another endpoint has the logs that one has forgotten, and the counters of the contract show that logs are missing.
  // The index therefore follows everything from the first record on, and the chain has only events with numbers.
  const keeper = random.integer(0, endpointCount - 1)
  const hasForgetful = hasSign && !hasEas && random.chance(0.5) && !hasVerax
  const contracts = hasForgetful ? { ...drawnContracts, sign: 0 } : drawnContracts
  const { veraxContext, veraxPortalRevoked, veraxImport } = traits.shape.events
  const shape = hasForgetful
    ? { ...traits.shape, events: { ...traits.shape.events, signAnchor: 0, malformed: 0 } }
    : traits.shape
  const drafts = Array.from({ length: endpointCount }, (_, i) =>
    drawEndpoint(createRandom(mixSeeds(seed, 0xe0, i)), i, {
      seed,
      hasMulticall,
      faultChance,
      finalityMs: finality * blockTime * 1000,
      blockTimeMs: blockTime * 1000,
      // Even the narrowest endpoint is through a long chain in some hundred requests.
      logRangeMin: Math.ceil(initialBlocks / 500),
      forgets: hasForgetful && i !== keeper,
      // Only a bloom shows that a block has no log.
      hasBlooms: hasImports,
      // Only the code of a contract shows that nothing is its answer.
      knowsCode: traits.hasUnreadable,
      // Contexts and portals that a later log changes, and counters of records without a log, are read at recent states.
      keepsStates: veraxContext + veraxPortalRevoked + veraxImport > 0,
    }),
  )
  const hosts = drafts.map(({ host }) => host)
  // A late endpoint gives other answers after it has seen a reorganisation.
  const lagBlocks = Math.ceil(Math.max(...drafts.map(({ lagMaxMs }) => lagMaxMs)) / (blockTime * 1000))
  const steps = createRandom(mixSeeds(seed, 0xa0))

  return {
    chain: { ...traits, shape },
    initialBlocks,
    finality,
    lagBlocks,
    endpoints: drafts,
    actions: random.integer(5, 30),
    // Drawn apart, so that each seed's world is otherwise the same without hooks.
    hasHooks: createRandom(mixSeeds(seed, 0x400c)).chance(0.3),
    ending: isDeep ? 'stopped' : 'equal',
    stoppedBy: /reorganised deeper than/,
    next(step, head) {
      if (isDeep && step === deepStep && head > finality + 3) {
        const depth = steps.integer(finality + 1, Math.min(head - 2, finality * 2 + 5))
        return { kind: 'reorganise', depth, length: depth + steps.integer(0, 3) }
      }
      if (steps.chance(reorganisationChance) && head > 3) {
        if (steps.chance(0.2)) return { kind: 'return' }
        const extra = lagBlocks > 0 ? 0 : steps.integer(0, Math.min(5, Math.floor(finality / 4)))
        const deepest = Math.min(finality - extra - lagBlocks, head - 1)
        const depth = steps.chance(0.5) ? Math.min(deepest, 2) : steps.integer(1, Math.max(1, deepest))
        // A chain that only ever loses blocks would make the index wait for the head to come back.
        if (depth >= 1 && deepest >= 1) return { kind: 'reorganise', depth, length: depth + extra }
      }
      if (steps.chance(0.08)) return { kind: 'restart' }
      if (crashiness > 0 && steps.chance(0.1)) return { kind: 'kill' }
      if (steps.chance(0.1)) return { kind: 'sleep', ms: steps.integer(1_000, 120_000) }
      return { kind: 'mine', blocks: steps.integer(1, steps.pick([2, 15])) }
    },
    config(life, isCalm) {
      const drawn = createRandom(mixSeeds(seed, 0xc0f, isCalm ? 0 : life))
      const firstOnly = addsLater && !isCalm && life <= 2
      const shuffled = hosts.toSorted(
        (a, b) => mixSeeds(seed, life, a.charCodeAt(1)) - mixSeeds(seed, life, b.charCodeAt(1)),
      )
      return {
        contracts: firstOnly ? { ...contracts, eas: null } : contracts,
        finality,
        pollIntervalMs: drawn.pick([500, 2_000]),
        hosts: shuffled,
        logRangeInitialBlocks: drawn.pick([1, 10, 2_000]),
        batchSizeMax: drawn.pick([1, 7, 100]),
        readsPerCallMax: drawn.pick([2, 200]),
        concurrencyPerEndpoint: drawn.pick([1, 4]),
        fields: isCalm ? 'all' : drawn.pick(['all', 'all', 'all', 'all', 'half', 'none']),
      }
    },
    crashAt(life) {
      const drawn = createRandom(mixSeeds(seed, 0xdead, life))
      return life < 12 && drawn.chance(crashiness) ? drawn.integer(1, drawn.pick([10, 60, 400])) : null
    },
  }
}

function drawEvents(random: Random, hasSign: boolean, hasEas: boolean): EventCounts {
  const some = random.pick([1, 5, 12])
  const sign = {
    signSchema: random.integer(0, 2),
    signAttestation: random.integer(1, some),
    signRevocation: random.integer(0, Math.ceil(some / 2)),
    signAnchor: random.integer(0, 1),
  }
  const eas = {
    easSchema: random.integer(0, 2),
    easAttestation: random.integer(1, some),
    easRevocation: random.integer(0, Math.ceil(some / 2)),
    easAnchor: random.integer(0, 1),
  }
  return {
    ...noEvents,
    ...(hasSign ? sign : {}),
    ...(hasEas ? eas : {}),
    malformed: random.chance(0.2) ? 1 : 0,
  }
}

function drawVeraxEvents(random: Random): Partial<EventCounts> {
  const some = random.pick([1, 5, 12])
  return {
    veraxSchema: random.integer(0, 2),
    veraxAttestation: random.integer(1, some),
    veraxReplacement: random.integer(0, Math.ceil(some / 2)),
    veraxRevocation: random.integer(0, Math.ceil(some / 2)),
  }
}

function drawVeraxMetadata(random: Random): Partial<EventCounts> {
  const veraxPortal = random.integer(0, 2)
  const veraxContext = random.integer(0, 3)
  return { veraxPortal, veraxContext, veraxPortalRevoked: veraxPortal === 0 ? 0 : random.integer(0, 1) }
}

interface Circumstances {
  readonly seed: number
  readonly hasMulticall: boolean
  readonly faultChance: number
  readonly finalityMs: number
  readonly blockTimeMs: number
  readonly logRangeMin: number
  readonly forgets: boolean
  readonly hasBlooms: boolean
  readonly knowsCode: boolean
  readonly keepsStates: boolean
}

function drawEndpoint(
  random: Random,
  index: number,
  {
    seed,
    hasMulticall,
    faultChance,
    finalityMs,
    blockTimeMs,
    logRangeMin,
    forgets,
    hasBlooms,
    knowsCode,
    keepsStates,
  }: Circumstances,
): EndpointDraft {
  const host = `e${index}.example`
  // An endpoint that lags by less than the finality may confuse, but cannot hide anything.
  const lagMax = Math.min(finalityMs / 4, 5 * blockTimeMs)
  const steady: EndpointCharacter = {
    ...plainCharacter,
    chainId,
    hasMulticall,
    // Drawn apart, so that each seed's world is otherwise what it was before endpoints could lack a method.
    knowsCode: knowsCode || createRandom(mixSeeds(seed, 0xc0de, index)).chance(0.9),
    tellsHeads: createRandom(mixSeeds(seed, 0x4ead, index)).chance(0.4),
    refusesFuture: random.chance(0.3),
    sendsTimestamps: random.chance(0.5),
    // Drawn apart, so that each seed's world is otherwise what it was before endpoints could number logs differently.
    logNumbering: createRandom(mixSeeds(seed, 0x1097, index)).pick([
      'block',
      'block',
      ...logNumberings,
      'any',
    ]),
    bloom: random.chance(0.8) || hasBlooms ? 'true' : 'full',
    logRange: random.chance(0.5)
      ? {
          max: Math.max(logRangeMin, random.pick([1, 3, 10, 100])),
          refusal: random.integer(0, rangeRefusals.length - 1),
        }
      : null,
    results: random.chance(0.3)
      ? { max: random.pick([1, 5, 50]), refusal: random.integer(0, resultRefusals.length - 1) }
      : null,
    logBlocks: forgets ? random.pick([140, 400]) : null,
    batchMax: random.chance(0.3) ? random.pick([1, 3, 20]) : null,
    readsMax: random.chance(0.3) ? random.pick([1, 10, 50]) : null,
    latencyMs: random.pick([
      { min: 1, max: 5 },
      { min: 20, max: 200 },
      { min: 1, max: 2_000 },
    ]),
    // Fewer than may be above the final block.
    stateBlocks: random.chance(0.3) && !keepsStates ? 16 : null,
  }
  const lagMs = random.chance(0.3) ? random.integer(0, Math.floor(lagMax)) : 0
  const logsLagMs = random.chance(0.3) ? random.integer(0, Math.floor(lagMax)) : 0
  const byTurns = random.chance(0.5)
  // Drawn apart, so that each seed's world is otherwise what it was before logs could be late.
  const late = createRandom(mixSeeds(seed, 0x1a7e, index))
  const lateMs = () => late.pick([0, late.integer(1, 4_000), late.integer(1, 50_000)])
  // Drawn apart for the same reason.
  const bare = createRandom(mixSeeds(seed, 0xba4e, index))
  const receiptLateMs = bare.chance(0.1) ? bare.pick([bare.integer(1, 4_000), bare.integer(1, 50_000)]) : 0
  const hasLateLogs = late.chance(0.2)
  const isLate = hasLateLogs || receiptLateMs > 0
  const logsLateMs = hasLateLogs ? { byRange: lateMs(), byHash: lateMs() } : plainCharacter.logsLateMs
  const indexesLateMs = hasLateLogs && late.chance(0.3) ? lateMs() : 0
  const bloom =
    hasLateLogs && !hasBlooms ? late.pick(['true', 'empty', 'full', 'wrong'] as const) : steady.bloom
  // It fails for some minutes out of many.
  const periodMs = random.integer(10_000, 600_000)
  const downShare = random.chance(0.2) ? 0.3 : 0
  return {
    host,
    lagMaxMs: lagMs + logsLagMs,
    isLate,
    character(elapsedMs, isCalm) {
      if (isCalm) return { ...steady, bloom }
      const phase = (elapsedMs % periodMs) / periodMs
      const isDown = phase < downShare
      const lags = { lagMs, byTurns, logsLagMs, logsLateMs, receiptLateMs, indexesLateMs }
      return { ...steady, ...lags, bloom, faultChance, isDown }
    },
  }
}
