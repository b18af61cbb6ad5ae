import { expect, test } from 'vitest'
import { createSimulatedChain, noEvents, type SimulatedChainOptions } from '../simulator/simulatedChain.ts'
import type { TrueEvent } from '../simulator/trueRecords.ts'
import { followChain } from './followChain.ts'

const blocks = 60
const chainsMin = 8

test.each([
  ['final blocks', 12],
  ['blocks that may be replaced', 50],
])('a context of %s counts again when a reorganisation takes a later one back', async (_where, finality) => {
  let chains = 0
  for (let seed = 1; chains < chainsMin; seed++) {
    const options = {
      seed,
      blocks,
      shape: {
        blocks: 20,
        eventBlocks: 6,
        events: { ...noEvents, veraxSchema: 1, veraxAttestation: 2, veraxContext: 1 },
      },
    }
    const depth = findDepth(options, finality)
    if (depth === null) continue
    chains++
    const index = followChain({
      chain: options,
      contracts: { name: 'Simulated', sign: null, eas: null, verax: 0, transactionSenders: false },
      finality,
    })
    try {
      await index.settle()
      index.chain.reorganise(depth, depth + 1)
      await index.settle()
      expect([seed, await index.compare()]).toEqual([seed, []])
    } finally {
      await index.remove()
    }
  }
})

test.each([
  ['final blocks', 12],
  ['blocks that may be replaced', 50],
])('a portal of %s is known after a reorganisation reverts its revocation', async (_where, finality) => {
  let chains = 0
  for (let seed = 1; chains < chainsMin; seed++) {
    const events = { ...noEvents, veraxSchema: 1, veraxAttestation: 2, veraxPortal: 1, veraxPortalRevoked: 1 }
    const options = { seed, blocks, shape: { blocks: 20, eventBlocks: 6, events } }
    const depth = findRevocationDepth(options, finality)
    if (depth === null) continue
    chains++
    const index = followChain({
      chain: options,
      contracts: { name: 'Simulated', sign: null, eas: null, verax: 0, transactionSenders: false },
      finality,
    })
    try {
      await index.settle()
      index.chain.reorganise(depth, depth + 1)
      await index.settle()
      expect([seed, await index.compare()]).toEqual([seed, []])
    } finally {
      await index.remove()
    }
  }
})

/**
 * Number of blocks to replace in order to revert the newest revocation of a portal that stays registered in the index.
 * Null if that revocation is final.
 */
function findRevocationDepth(options: SimulatedChainOptions, finality: number): number | null {
  const chain = createSimulatedChain(options)
  const events = () => chain.events(chain.view(), 0, chain.head())
  const portal = (name: 'veraxPortal' | 'veraxPortalRevoked') =>
    events().filter((event) => event.kind === name)
  const last = portal('veraxPortalRevoked').at(-1)
  if (last?.kind !== 'veraxPortalRevoked' || last.block <= blocks - finality) return null
  const isTarget = (event: TrueEvent) => event.kind === 'veraxPortal' && event.record.portal === last.portal
  const depth = blocks - last.block + 1
  const registered = portal('veraxPortal').find((event) => isTarget(event) && event.block < last.block)
  const others = portal('veraxPortalRevoked').filter(
    (event) => event.kind === 'veraxPortalRevoked' && event.portal === last.portal,
  )
  if (registered === undefined || others.length > 1) return null
  chain.reorganise(depth, depth + 1)
  const revokedAgain = portal('veraxPortalRevoked').some(
    (event) => event.kind === 'veraxPortalRevoked' && event.portal === last.portal,
  )
  return revokedAgain ? null : depth
}

/**
 * Number of blocks to replace in order to revert only the newest context. Null if that context is final, if its schema
 * had none before, or if the new blocks have contexts of their own.
 */
function findDepth(options: SimulatedChainOptions, finality: number): number | null {
  const chain = createSimulatedChain(options)
  const contexts = () =>
    chain.events(chain.view(), 0, chain.head()).filter((event) => event.kind === 'veraxContext')
  const before = contexts()
  const last = before.at(-1)
  if (last === undefined || last.block <= blocks - finality) return null
  const depth = blocks - last.block + 1
  chain.reorganise(depth, depth + 1)
  const hasEarlier = before.some(({ schemaId, block }) => schemaId === last.schemaId && block < last.block)
  return hasEarlier && contexts().length === before.length - 1 ? depth : null
}
