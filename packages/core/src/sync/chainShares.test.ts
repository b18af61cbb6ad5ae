import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChainId } from '../model/compositeId.ts'
import { createChainShares, type ChainShares } from './chainShares.ts'

/** Processes that share a database: who may index what, and who has it. */
function createProcesses(configured: readonly (readonly ChainId[])[]) {
  let nowMs = 0
  const clock = { nowMs: () => nowMs, sleep: () => Promise.resolve() }
  const owners = new Map<ChainId, number>()
  const alive = new Set<number>()
  const shares = new Map<number, ChainShares>()

  /** A process that starts knows nothing of its life before. */
  function start(at: number): void {
    if (alive.has(at)) return
    alive.add(at)
    const own = createChainShares(
      configured[at] ?? [],
      {
        surveyChains: (asked) =>
          Promise.resolve(
            asked.map((chainId) => ({
              chainId,
              candidates: configured.filter((each, at) => alive.has(at) && each.includes(chainId)).length,
              isClaimed: owners.has(chainId),
            })),
          ),
      },
      clock,
    )
    shares.set(at, own)
  }

  /** A second in the life of all processes: each looks, gives up what it has to, and claims what it may. */
  async function tick(): Promise<void> {
    nowMs += 1_000
    for (const at of alive) {
      const own = shares.get(at) as ChainShares
      await own.survey()
      for (const chainId of configured[at] ?? []) {
        if (owners.get(chainId) === at) {
          if (!own.take(chainId).aborted) continue
          own.leave(chainId)
          owners.delete(chainId)
        }
        if (owners.has(chainId) || !own.mayClaim(chainId)) continue
        owners.set(chainId, at)
        own.take(chainId)
      }
    }
  }

  return {
    owners,
    start,
    kill: (at: number) => {
      alive.delete(at)
      for (const [chainId, owner] of owners) if (owner === at) owners.delete(chainId)
    },
    tick,
    countOf: (at: number) => [...owners.values()].filter((owner) => owner === at).length,
  }
}

/** A process ends with chains and starts anew, while another one starts and the first one ends. */
const restartBesideOthers = [
  { at: 2, ends: false },
  { at: 2, ends: true },
  { at: 1, ends: false },
  { at: 2, ends: false },
  { at: 0, ends: true },
]

test('processes that may index the same chains take equally many, whenever they start and end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ at: fc.nat(3), ends: fc.boolean() }), { maxLength: 8 }),
      async (chains, count, acts) => {
        const chainIds = Array.from({ length: chains }, (_, index) => index + 1)
        const processes = createProcesses(Array.from({ length: count }, () => chainIds))
        const running = new Set([0])
        processes.start(0)
        for (const { at, ends } of acts) {
          if (at >= count || (ends && running.size === 1)) continue
          if (ends) {
            processes.kill(at)
            running.delete(at)
          } else {
            processes.start(at)
            running.add(at)
          }
          await processes.tick()
        }
        for (let second = 0; second < 30; second++) await processes.tick()
        expect(processes.owners.size).toBe(chains)
        for (const at of running) {
          expect(processes.countOf(at)).toBeLessThanOrEqual(Math.ceil(chains / running.size))
        }
        // The settled distribution stays.
        const before = new Map(processes.owners)
        for (let second = 0; second < 30; second++) await processes.tick()
        expect(processes.owners).toEqual(before)
      },
    ),
    { examples: [[5, 3, restartBesideOthers]] },
  )
})

test('every chain gets a process, however the chains of the processes overlap', async () => {
  const some = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 4 }), async (configured) => {
      const processes = createProcesses(configured)
      for (const at of configured.keys()) processes.start(at)
      for (let second = 0; second < 60; second++) await processes.tick()
      expect(new Set(processes.owners.keys())).toEqual(new Set(configured.flat()))
    }),
  )
})
