import { createLiveIndex, type LiveIndex } from '../harness/liveIndex.ts'
import { startLocalChain } from '../harness/localChain.ts'
import { startRenumberingProxy } from '../harness/renumberingProxy.ts'
import { createRandom, mixSeeds } from '../simulator/random.ts'
import { createRandomHistory, type HistoryTruth } from './randomHistory.ts'

export interface ReorganisationsResult {
  /** The export of the index that followed the chain. */
  readonly survived: readonly string[]
  /** Exports of indexes made afterwards: one treats all blocks as final, one treats the newest as reversible. */
  readonly fresh: readonly (readonly string[])[]
  readonly truth: HistoryTruth
  readonly depths: readonly number[]
  /** How often the index reverted blocks. */
  readonly takenBack: number
}

const finality = 64
const reachHeadLimitMs = 30_000

/**
 * Runs `steps` random steps on a real chain with the real contract while an index follows it. `seed` decides the whole
 * history; the progress of the index at each reorganisation depends on the machine.
 */
export async function runReorganisations(seed: number, steps: number): Promise<ReorganisationsResult> {
  const random = createRandom(mixSeeds(seed, 0x2e0))
  // States of removed blocks count towards `keptStates`.
  const chain = await startLocalChain({ keptStates: 500 })
  const followed = {
    chainId: chain.chainId,
    contract: chain.address,
    startBlock: chain.startBlock,
    head: () => chain.headNumber(),
  }
  const createIndex = (indexFinality: number, url: string): LiveIndex =>
    createLiveIndex(followed, [url], { finality: indexFinality, pollIntervalMs: 10 })
  // The endpoint's numbering of logs must not matter.
  const proxy = await startRenumberingProxy(chain.url, 'changing')
  const index = createIndex(finality, proxy.url)
  const fresh = [createIndex(0, chain.url), createIndex(finality, chain.url)]
  try {
    const history = await createRandomHistory(chain, random, finality)
    index.start()
    for (let step = 0; step < steps; step++) {
      await history.step()
      // Without waiting, the index would see few of the blocks before they are removed.
      if (random.chance(0.3)) await index.reachHead(reachHeadLimitMs)
      if (random.chance(0.05)) {
        await index.stop()
        index.start()
      }
    }
    await history.outgrow()
    for (const each of [index, ...fresh]) {
      if (each !== index) each.start()
      await each.reachHead(reachHeadLimitMs)
      await each.stop()
    }
    return {
      survived: await index.exportLines(),
      fresh: await Promise.all(fresh.map((each) => each.exportLines())),
      truth: history.truth(),
      depths: history.depths,
      takenBack: index.logged.filter((line) => line.includes('was reorganised')).length,
    }
  } finally {
    for (const each of [index, ...fresh]) await each.remove()
    await proxy.close()
    await chain.stop()
  }
}
