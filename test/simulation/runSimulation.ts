import { createLiveIndex } from '../harness/liveIndex.ts'
import { createRandom, mixSeeds, type Random } from '../simulator/random.ts'
import { createSimulatedChain, type SimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatedFault } from '../simulator/simulatorServer.ts'

/** What came of one simulated run: two exports that must be equal, and the truth to hold against them. */
export interface SimulationResult {
  /** The export of the index that lived through everything. */
  readonly survived: readonly string[]
  /** The export of an index made afterwards, of the final chain. */
  readonly fresh: readonly string[]
  readonly chain: SimulatedChain
  /** How many blocks were taken back in all. */
  readonly reorganisations: number
}

/**
 * One life of an index, all of it decided by `seed`: the chain grows and is reorganised up to its finality, endpoints fail
 * in every way they know, the indexer is stopped and started, while it indexes. Only the moments at which these meet
 * the indexer are the machine's.
 */
export async function runSimulation(seed: number): Promise<SimulationResult> {
  const random = createRandom(mixSeeds(seed, 1))
  const finality = random.pick([4, 12, 40])
  const chain = createSimulatedChain({
    seed,
    eventBlockPercent: random.pick([5, 40, 90]),
    eventsPerBlockMax: random.pick([1, 4, 30]),
  })
  chain.mine(random.integer(1, 300))
  let faultChance = random.pick([0, 0.05, 0.3])
  const lateChance = random.pick([0, 0.5])
  const server = await startSimulatorServer(chain, {
    logRangeMax: random.pick([7, 50, 100_000]),
    multicall: random.chance(0.5),
    blockTimestamps: random.chance(0.5),
    isLogLate: () => random.chance(lateChance),
    fault: () => (random.chance(faultChance) ? randomFault(random) : null),
  })
  const index = createLiveIndex(chain, [server.url], { finality })
  const again = createLiveIndex(chain, [server.url], { finality })
  let reorganisations = 0
  try {
    index.start()
    const steps = random.integer(5, 25)
    for (let step = 0; step < steps; step++) {
      await new Promise((done) => setTimeout(done, random.integer(0, 40)))
      if (random.chance(0.15)) {
        await index.stop()
        index.start()
      }
      if (random.chance(0.4) && chain.head() > finality) {
        const depth = random.integer(1, finality)
        // A chain that only ever loses blocks would make the index wait for the head to come back.
        chain.reorganise(depth, depth + random.integer(0, 5))
        reorganisations++
      } else chain.mine(random.integer(1, 30))
    }
    faultChance = 0
    chain.mine(1)
    await index.reachHead(15_000)
    await index.stop()
    again.start()
    await again.reachHead(15_000)
    await again.stop()
    return { survived: await index.exportLines(), fresh: await again.exportLines(), chain, reorganisations }
  } finally {
    await index.remove()
    await again.remove()
    await server.close()
  }
}

function randomFault(random: Random): SimulatedFault {
  return random.pick<SimulatedFault>([
    { kind: 'status', status: 502 },
    { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
    { kind: 'reset' },
    { kind: 'garbage' },
    { kind: 'truncated' },
    { kind: 'rpcError', code: -32_000, message: 'internal error' },
    { kind: 'rpcError', code: -32_005, message: 'query returned more than 10000 results' },
  ])
}
