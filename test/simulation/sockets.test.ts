import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLiveIndex } from '../harness/liveIndex.ts'
import { firstCases } from '../harness/nightly.ts'
import { createRandom, mixSeeds } from '../simulator/random.ts'
import { createSimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer } from '../simulator/simulatorServer.ts'
import { compareExport } from './compareExport.ts'
import { expectedIndex } from './expectedIndex.ts'

/** Injects the same faults over real connections, so that HTTP itself is tested, not only its simulation. */
test.each(firstCases(2, [1, 2, 3, 4]))(
  'an index over real sockets equals the chain (seed %i)',
  async (seed) => {
    const random = createRandom(mixSeeds(seed, 0x50c))
    const finality = 12
    const chain = createSimulatedChain({ seed, blocks: 100, blockTime: 12 })
    let faultChance = 0.2
    const servers = await Promise.all(
      [7, 100_000].map((logRangeMax) =>
        startSimulatorServer(chain, {
          logRangeMax,
          character: () => ({ faultChance, sendsTimestamps: logRangeMax > 7, hasMulticall: seed % 2 === 0 }),
        }),
      ),
    )
    const index = createLiveIndex(
      { chainId: chain.chainId, contract: chain.contracts.sign, head: chain.head },
      servers.map(({ url }) => url),
      { finality },
    )
    try {
      index.start()
      for (let step = 0; step < 12; step++) {
        await delay(random.integer(0, 40))
        if (random.chance(0.3)) {
          const depth = random.integer(1, finality)
          chain.reorganise(depth, depth)
        } else chain.mine(random.integer(1, 5))
        if (random.chance(0.2)) {
          await index.stop()
          index.start()
        }
      }
      faultChance = 0
      chain.mine(51)
      await index.reachHead(30_000)
      await index.stop()
      const contracts = { name: 'Followed', sign: 0, eas: null, transactionSenders: false }
      expect(compareExport(await index.exportLines(), expectedIndex(chain, contracts))).toEqual([])
    } finally {
      await index.remove()
      await Promise.all(servers.map((server) => server.close()))
    }
  },
)
