import { describe, expect, test } from 'vitest'
import { encodeLog } from './encodeLog.ts'
import { createRandom } from './random.ts'
import { readContract } from './readContract.ts'
import { createSimulatedEndpoint, plainCharacter } from './simulatedEndpoint.ts'
import { createSimulatedChain, noEvents, type ChainView, type SimulatedChain } from './simulatedChain.ts'
import type { TrueEvent } from './trueRecords.ts'

const bothProtocols = {
  blocks: 10,
  eventBlocks: 4,
  events: {
    ...noEvents,
    signSchema: 1,
    signAttestation: 5,
    signRevocation: 3,
    signAnchor: 1,
    easSchema: 1,
    easAttestation: 5,
    easRevocation: 3,
    easAnchor: 1,
    malformed: 1,
  },
}

describe('a simulated chain', () => {
  test('is the same for the same calls, and another for another seed', () => {
    const live = (seed: number) => {
      const chain = createSimulatedChain({ seed, shape: bothProtocols, blocks: 80 })
      chain.reorganise(13, 17)
      chain.mine(20)
      return chain.events(chain.view(), 0, chain.head())
    }
    expect(live(3)).toEqual(live(3))
    expect(live(3)).not.toEqual(live(4))
  })

  test('links its blocks, and keeps those below a reorganisation', () => {
    const chain = createSimulatedChain({ seed: 1, shape: bothProtocols, blocks: 60 })
    const before = chain.view()
    chain.reorganise(20, 25)
    const after = chain.view()
    expect(chain.head()).toBe(65)
    for (let number = 1; number <= 65; number++) {
      const block = requireBlock(chain, after, number)
      expect(block.parentHash).toBe(requireBlock(chain, after, number - 1).hash)
      expect(chain.numberOf(after, block.hash)).toBe(number)
      expect(chain.block(before, number)?.hash === block.hash).toBe(number <= 40)
    }
    expect(chain.events(before, 0, 40)).toEqual(chain.events(after, 0, 40))
    expect(chain.events(before, 41, 60)).not.toEqual(chain.events(after, 41, 60))
    chain.returnTo(before, 10)
    expect(chain.events(chain.view(), 0, 60)).toEqual(chain.events(before, 0, 60))
  })

  test('says the same however its blocks are asked for', () => {
    const chain = createSimulatedChain({ seed: 2, shape: bothProtocols, blocks: 90 })
    chain.reorganise(33, 40)
    const view = chain.view()
    const whole = chain.events(view, 0, chain.head())
    const single = Array.from({ length: chain.head() + 1 }, (_, number) =>
      chain.events(view, number, number),
    ).flat()
    expect(single).toEqual(whole)
    const places = whole.map(({ block, logIndex }) => block * 1e6 + logIndex)
    expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
  })

  test('says the same however little of it is kept', () => {
    const live = (epochsKept: number) => {
      const chain = createSimulatedChain({ seed: 2, shape: bothProtocols, blocks: 200, epochsKept })
      return chain.events(chain.view(), 0, chain.head())
    }
    expect(live(3)).toEqual(live(1_000))
  })

  test('knows of each record when it was made and when it was revoked, at any block', () => {
    const chain = createSimulatedChain({ seed: 6, shape: bothProtocols, blocks: 70 })
    for (const depth of [5, 31, 12]) {
      chain.reorganise(depth, depth + 9)
      const view = chain.view()
      const events = chain.events(view, 0, chain.head())
      const signIds = events.flatMap((event) => (event.kind === 'signAttestation' ? [event.id] : []))
      expect(signIds).toEqual(signIds.map((_, i) => i + 1))
      expect(events.filter(isRevocation).length).toBeGreaterThan(5)
      for (const event of events) expectKnown(chain, view, events, event)
      for (const event of events.filter((each) => each.kind === 'signSchema')) {
        expect(chain.signSchema(view, event.id, event.block)?.record).toEqual(event.record)
        expect(chain.signSchema(view, event.id, event.block - 1)).toBeNull()
      }
      for (const event of events.filter((each) => each.kind === 'easSchema')) {
        expect(chain.easSchema(view, event.record.uid, event.block)?.record).toEqual(event.record)
        expect(chain.easSchema(view, event.record.uid, event.block - 1)).toBeNull()
      }
    }
  })

  test('takes no longer for a chain of a thousand million blocks', () => {
    const shape = { blocks: 100, eventBlocks: 1, events: { ...noEvents, signAttestation: 1 } }
    const chain = createSimulatedChain({ seed: 1, shape, blocks: 1_000_000_000 })
    const view = chain.view()
    const last = chain
      .events(view, 999_999_000, 1_000_000_000)
      .findLast((event) => event.kind === 'signAttestation')
    if (last?.kind !== 'signAttestation') throw new Error('no attestation')
    expect(last.id).toBeGreaterThan(9_999_000)
    expect(chain.signAttestation(view, last.id, last.block)?.record).toEqual(last.record)
    expect(chain.signAttestation(view, last.id, last.block - 1)).toBeNull()
    chain.reorganise(500_000_000, 1)
    expect(chain.signAttestation(chain.view(), last.id, last.block)).toBeNull()
  })

  test('answers the reads of its contracts with the state of the block asked for', () => {
    const chain = createSimulatedChain({ seed: 9, shape: bothProtocols, blocks: 50 })
    const view = chain.view()
    const made = chain.events(view, 0, 50).find((event) => event.kind === 'easAttestation')
    if (made?.kind !== 'easAttestation') throw new Error('no attestation')
    const { data } = encodeLog(chain, made)
    const read = (atBlock: number) =>
      readContract(chain, view, atBlock, chain.contracts.eas, `a3112a64${data.slice(2)}`, true)
    expect(read(made.block - 1).data).toMatch(/^0{62}20(?:0{64}){9}/)
    expect(read(made.block).data.slice(64, 128)).toBe(made.record.uid.slice(2))
  })
})

function expectKnown(
  chain: SimulatedChain,
  view: ChainView,
  events: readonly TrueEvent[],
  event: TrueEvent,
): void {
  if (event.kind === 'signAttestation') {
    const revocations = events.filter((each) => each.kind === 'signRevocation' && each.id === event.id)
    expectRevocable(chain, event, revocations, (atBlock) => chain.signAttestation(view, event.id, atBlock))
  } else if (event.kind === 'easAttestation') {
    const { uid } = event.record
    const revocations = events.filter((each) => each.kind === 'easRevocation' && each.record.uid === uid)
    expectRevocable(chain, event, revocations, (atBlock) => chain.easAttestation(view, uid, atBlock))
  }
}

test('an endpoint puts the transactions of the logs of a block into the block, where they are asked for', () => {
  const chain = createSimulatedChain({ seed: 5, shape: bothProtocols, blocks: 40 })
  const endpoint = createSimulatedEndpoint(
    chain,
    () => ({ ...plainCharacter, chainId: chain.chainId }),
    createRandom(1),
  )
  const ask = <Result>(method: string, ...params: readonly unknown[]) => {
    const reply = endpoint.reply(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return (JSON.parse(reply.kind === 'answer' ? reply.body : '') as { result: Result }).result
  }
  interface Placed {
    readonly blockHash: string
    readonly blockNumber: string
    readonly transactionIndex: string
  }
  // Addresses are in any case.
  const address = Object.values(chain.contracts).map((each) => `0x${each.slice(2).toUpperCase()}`)
  const logs = ask<readonly (Placed & { transactionHash: string })[]>('eth_getLogs', {
    address,
    fromBlock: '0x0',
    toBlock: '0x28',
  })
  expect(new Set(logs.map(({ transactionIndex }) => transactionIndex)).size).toBeGreaterThan(2)
  for (const [blockNumber, ofBlock] of Map.groupBy(logs, (log) => log.blockNumber)) {
    const block = ask<{ transactions?: readonly (Placed & { hash: string })[] }>(
      'eth_getBlockByNumber',
      blockNumber,
      true,
    )
    const placeOf = (hash: string, { blockHash, transactionIndex }: Placed) =>
      [hash, blockHash, blockNumber, transactionIndex].join(' ')
    expect(new Set(block.transactions?.map((each) => placeOf(each.hash, each)))).toEqual(
      new Set(ofBlock.map((log) => placeOf(log.transactionHash, log))),
    )
    expect(ask('eth_getBlockByNumber', blockNumber, false)).not.toHaveProperty('transactions')
  }
})

function expectRevocable(
  chain: SimulatedChain,
  made: TrueEvent & { readonly record: unknown },
  revocations: readonly TrueEvent[],
  stateAt: (block: number) => { readonly record: unknown; readonly revokedAt: number | null } | null,
): void {
  expect(stateAt(made.block - 1)).toBeNull()
  expect(stateAt(made.block)?.record).toEqual(made.record)
  expect(revocations.length).toBeLessThanOrEqual(1)
  const [revocation] = revocations
  expect(stateAt(chain.head())?.revokedAt).toBe(revocation?.timestamp ?? null)
  if (revocation === undefined) return
  expect(revocation.block * 1e6 + revocation.logIndex).toBeGreaterThan(made.block * 1e6 + made.logIndex)
  if (revocation.block > made.block) expect(stateAt(revocation.block - 1)?.revokedAt).toBeNull()
}

function isRevocation(event: TrueEvent): boolean {
  return event.kind === 'signRevocation' || event.kind === 'easRevocation'
}

function requireBlock(chain: SimulatedChain, view: ChainView, number: number) {
  const block = chain.block(view, number)
  if (block === null) throw new Error(`no block ${number}`)
  return block
}
