import { describe, expect, test } from 'vitest'
import { numberedDeployment, silentDeployment } from '@attestry/test/harness/numberedRecords.ts'
import { ChunksRefusedError, ChunksUnprovenError } from '../errors/chunkErrors.ts'
import { PlaceUnavailableError } from '../errors/placeErrors.ts'
import { RpcRefusedError } from '../errors/rpcErrors.ts'
import { StoreInvariantError } from '../errors/storeErrors.ts'
import { blockNumbers, type ChainStatus } from '../model/chainState.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { eventPosition, positionBlock } from '../model/position.ts'
import type { IndexWriter } from '../index/indexWriter.ts'
import { createIndexSteps } from './indexSteps.ts'
import type { OpenPublished } from './publishedEvents.ts'
import { createStatusReporter } from './statusReporter.ts'
import { createNumberedChain } from './testing/numberedChain.ts'

/** Logged when the status first says that the head is reached. */
const saved = 'saved at the head'
const noRecords = { schemas: 0, attestations: 0, revocations: 0, anchors: 0, undecodable: 0 }

/** A chain and the steps that index it. A range of a backfill is always due. */
async function createWorld({
  finality = 10,
  deploymentAt = numberedDeployment,
  openPublished,
  checkpoint = null,
}: {
  readonly finality?: number
  readonly deploymentAt?: typeof numberedDeployment
  readonly openPublished?: OpenPublished
  /** The last indexed block, which is remembered with its seal. */
  readonly checkpoint?: number | null
} = {}) {
  const chain = createNumberedChain()
  const done: string[] = []
  const logged: string[] = []
  const time = { nowMs: 0, steadyMs: 0 }
  const world = { onRequest: (_request: string): void => undefined }
  const note = (request: string) => {
    world.onRequest(request)
    if (!['head', 'headers', 'logs', 'reads', 'isAlone', 'again'].includes(request)) done.push(request)
  }
  chain.onRequest = note
  const answer = <Result>(request: string, result: Result) => {
    note(request)
    return Promise.resolve(result)
  }
  const writer: Partial<IndexWriter> = {
    openChain: () =>
      Promise.resolve({
        checkpoint: checkpoint === null ? null : { blockNumber: checkpoint, timestamp: null },
        recentBlocks: checkpoint === null ? [] : [{ ...chain.headerOf(checkpoint), logsSeal: '0' }],
        rewindTo: null,
        history: [],
      }),
    applyBlocks: (_, { fromBlock, checkpoint, events }) => {
      const blocks = new Set(events.map(({ position }) => ` with ${positionBlock(position)}`))
      const name = `apply ${fromBlock}-${checkpoint.blockNumber}${[...blocks].join('')}`
      return answer(name, { ...noRecords, undecodable: events.length })
    },
    revertBlocks: (_, toBlock) => answer(`revert ${toBlock}`, noRecords),
    saveChainStatus: ({ reachedHead }: ChainStatus) => {
      if (reachedHead && !logged.includes(saved)) logged.push(saved)
      return Promise.resolve()
    },
    forgetBlocks: (_, below) => answer(`forget below ${below}`, undefined),
    markDefect: (_, defect) => answer(`mark ${defect?.text}`, undefined),
    countRecords: () =>
      Promise.resolve({
        defect: null,
        protocols: [],
        subjects: [],
        unknown: [],
        undecodable: [],
      }),
    readEventPositions: () => Promise.resolve([]),
    advanceFields: () => answer('fields', { isDone: true, pending: 0 }),
  }
  const clock = {
    nowMs: () => (time.nowMs += 2_000),
    sleep: (delayMs: number) => answer(`sleep ${delayMs}`, undefined),
  }
  const configured = { chainId: 1, name: 'One', finality, pollIntervalMs: 700, transactionSenders: false }
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`)
  const parts = {
    deployments: [deploymentAt(0)],
    client: chain.client,
    writer: writer as IndexWriter,
    log,
    openPublished,
  }
  const status = createStatusReporter(configured, { ...parts, clock })
  const clocks = { clock, steady: { ...clock, nowMs: () => time.steadyMs } }
  const steps = createIndexSteps({ ...parts, chain: configured }, status, clocks)
  const { signal } = new AbortController()
  const progress = await steps.open(signal)
  /** Runs one step with this head and returns the actions of the step. */
  const step = async (head = chain.head) => {
    chain.head = head
    await steps.step(progress, signal)
    return done.splice(0)
  }
  return Object.assign(world, {
    ...{ chain, logged, time, progress, step, status: status.current, open: () => steps.open(signal) },
    remembered: () => progress.indexed.recentBlocks.map(({ number }) => number),
    /** Indexes the final blocks, then those at the head. */
    reach: async (head: number) => [await step(head), await step()],
  })
}

describe('the way to the head', () => {
  test('leads over the final blocks to those that may change, and rests there', async () => {
    const { chain, step, remembered, status, logged } = await createWorld()
    chain.madeIn = Array.from({ length: 200 }, (_, record) => (record < 100 ? 15 : 25))
    expect(await step(30)).toEqual(['agreed 20', 'apply 0-20 with 15'])
    expect(remembered()).toEqual(blockNumbers(0, 20))
    const first = { phase: 'backfilling', headBlock: 30, indexedBlock: 20, indexedTimestamp: 100 }
    expect(status()).toMatchObject({ ...first, reachedHead: false })
    expect(status().eventsPerSecond).toBeGreaterThan(0)
    expect(await step()).toEqual(['apply 21-30 with 25', 'fields', 'rest'])
    expect(remembered()).toEqual(blockNumbers(0, 30))
    const next = { phase: 'following', indexedBlock: 30, indexedTimestamp: 150 }
    expect(status()).toMatchObject({ ...next, reachedHead: true })
    expect(status().eventsPerSecond).toBeGreaterThan(0)
    expect(await step()).toEqual(['rest'])
    expect(await step(31)).toEqual(['apply 31-31', 'rest'])
    expect(remembered()).toEqual(blockNumbers(0, 31))
    expect(logged.filter((line) => line.includes('head'))).toEqual([
      saved,
      'info: reached the head at block 30',
    ])
  })

  test('ends with final blocks where every block is final', async () => {
    const { step, remembered, status } = await createWorld({ finality: 0 })
    expect(await step(30)).toEqual(['agreed 30', 'apply 0-30', 'fields', 'rest'])
    expect(remembered()).toEqual(blockNumbers(0, 30))
    expect(status().phase).toBe('following')
  })

  test('begins anew when the chain is opened: at what is stored, with the digest and the fields', async () => {
    const { reach, step, open, status } = await createWorld()
    await reach(30)
    // The store of this test has forgotten all blocks.
    await open()
    expect(status().indexedBlock).toBeNull()
    expect(await step()).toEqual(['fields', 'rest'])
  })

  test('compares the endpoints by the oldest remembered block, once a minute at the head', async () => {
    const { reach, step, time } = await createWorld()
    await reach(30)
    time.steadyMs += 60_000
    expect(await step()).toEqual(['agreed 0', 'forget below 20', 'rest'])
    expect(await step()).toEqual(['rest'])
  })

  test.each([
    { what: 'the comparison of a new record', request: 'isAlone', head: 31, phase: 'following' },
    { what: 'a backfill', request: 'logs', head: 50, phase: 'backfilling' },
  ])('ends for now with the failure of $what', async ({ request, head, phase }) => {
    const world = await createWorld()
    await world.reach(30)
    world.chain.madeIn = [31]
    world.onRequest = (each) => {
      if (each === request) throw new Error('failed')
    }
    await expect(world.step(head)).rejects.toThrow('failed')
    expect(world.status()).toMatchObject({ indexedBlock: 30, phase })
  })

  test('shows the head every ten seconds of a backfill, whether or not an endpoint answers', async () => {
    const world = await createWorld()
    world.time.steadyMs = 60_000
    let heads = 0
    world.onRequest = (request) => {
      if (request.startsWith('apply')) world.time.steadyMs += 6_000
      if (request === 'head') world.chain.head++
      if (request === 'head' && heads++ === 1) throw new Error('no answer')
    }
    const applied = (await world.step(899)).length - 1
    expect(applied).toBeGreaterThan(3)
    expect(heads).toBe(1 + Math.floor(applied / 2))
    expect(world.status()).toMatchObject({ indexedBlock: 890, headBlock: 899 + heads })
  })
})

describe('published events', () => {
  const eventsIn = (blocks: readonly number[]) =>
    blocks.map((block) => ({ kind: 'undecodableLog', position: eventPosition(block, 0), data: '0x' }))
  /** Events of the blocks 20 and 30 of 40, in ranges; `between` is called before each. */
  const publish =
    (between: (toBlock: number) => void = () => undefined): OpenPublished =>
    async () => ({
      place: 'chunks.example',
      toBlock: 40,
      async *read(fromBlock) {
        for (const [toBlock, blocks] of [
          [20, [20]],
          [30, [30]],
          [40, []],
        ] as const) {
          if (toBlock < fromBlock) continue
          between(toBlock)
          yield { toBlock, events: eventsIn(blocks) as unknown as DomainEvent[], share: toBlock / 40 }
        }
      },
    })

  test('are indexed first, and the endpoints have the blocks after them', async () => {
    const shown: unknown[] = []
    const openPublished = publish(() => shown.push(world.status().fromChunks))
    const world = await createWorld({ openPublished })
    world.chain.madeIn = [50]
    expect(await world.step(60)).toEqual([
      'agreed 50',
      'agreed 40',
      'apply 0-20 with 20',
      'apply 21-30 with 30',
      'apply 31-40',
    ])
    expect(shown).toEqual([0, 50, 75])
    expect(world.status()).toMatchObject({ phase: 'backfilling', indexedBlock: 40, fromChunks: null })
    expect(world.remembered()).toEqual([40])
    expect(await world.step()).toEqual(['agreed 50', 'agreed 40', 'apply 41-50 with 50'])
    expect(world.logged).toContain('info: blocks 0 to 40 are indexed from the chunks of chunks.example')
  })

  test('that are refused before the first are left to the endpoints, with the reason', async () => {
    const openPublished = () => Promise.reject(new ChunksRefusedError('The chunks are forged.'))
    const { step, logged } = await createWorld({ openPublished })
    expect(await step(49)).toEqual(['agreed 39', 'apply 0-39'])
    expect(logged).toContain(
      'error: The chunks are forged; the chain is indexed from its endpoints from block 0 on',
    )
  })

  test('are asked for again as long as each attempt brings the chain further', async () => {
    let failsAt = 30
    const openPublished = publish((toBlock) => {
      if (toBlock === failsAt) throw new PlaceUnavailableError('0-20.zst cannot be had')
    })
    const { step, logged } = await createWorld({ openPublished })
    expect(await step(60)).toEqual(['agreed 50', 'agreed 40', 'apply 0-20 with 20'])
    expect(await step()).toEqual(['agreed 50', 'agreed 40', 'apply 21-50'])
    expect(logged.filter((line) => !line.startsWith('info'))).toEqual([
      'warn: 0-20.zst cannot be had; the chunks are asked for once more, from block 21 on',
      'error: 0-20.zst cannot be had; the chain is indexed from its endpoints from block 21 on',
    ])
    failsAt = -1
    expect(await step()).toEqual(['apply 51-60', 'fields', 'rest'])
  })

  test('are not asked for if the index held the chain up to its head', async () => {
    const openPublished = () => Promise.reject(new Error('asked'))
    const { step, logged } = await createWorld({ openPublished, checkpoint: 30 })
    expect(logged).toContain(
      'info: the chain is indexed up to block 30 already: its published chunks are not asked for',
    )
    await step(60)
  })

  test('that nothing can be compared with stop the chain before its endpoints', async () => {
    const openPublished = () => Promise.reject(new ChunksUnprovenError('No endpoint keeps the logs.'))
    const { step } = await createWorld({ openPublished })
    await expect(step(60)).rejects.toMatchObject({ code: 'CHUNKS_UNPROVEN', retryable: false })
    await expect(step(60)).rejects.toMatchObject({ code: 'CHUNKS_UNPROVEN' })
  })

  test('that the writer refuses are left after the chain is opened again', async () => {
    const world = await createWorld({ openPublished: publish() })
    world.onRequest = (request) => {
      if (request === 'apply 0-20 with 20') throw new StoreInvariantError('an id is taken')
    }
    await expect(world.step(60)).rejects.toMatchObject({ code: 'CHAIN_INCONSISTENT', retryable: true })
    await world.open()
    expect((await world.step(49)).at(-1)).toBe('apply 0-39')
  })
})

describe('a head below the checkpoint', () => {
  test('is awaited for fourteen polls in a row, and then shortens the index', async () => {
    const { reach, step } = await createWorld()
    await reach(30)
    for (const polls of [10, 14]) {
      expect(await step(30)).toEqual(['rest'])
      for (let poll = 0; poll < polls; poll++) expect(await step(29)).toEqual(['sleep 700'])
    }
    expect(await step(29)).toEqual(['revert 29'])
  })

  test('and below all remembered blocks is refused for now', async () => {
    const { reach, step, progress } = await createWorld()
    await reach(30)
    await expect(step(19)).rejects.toMatchObject({ code: 'CHAIN_INCONSISTENT', retryable: true })
    expect(progress.indexed.blockNumber).toBe(30)
  })
})

describe('a reorganisation', () => {
  test.each([
    { shown: 'the head', head: 30, compared: [] },
    { shown: 'the block after the checkpoint', head: 31, compared: [] },
    // In this order: the last final block is known before the tip is compared.
    { shown: 'the checkpoint', head: 50, compared: ['agreed 40', 'agreed 30'] },
  ])('shown by $shown reverts the replaced blocks', async ({ head, compared }) => {
    const { chain, reach, step, remembered, status, logged } = await createWorld()
    await reach(30)
    chain.forkedFrom = 26
    expect(await step(head)).toEqual([...compared, 'revert 25'])
    expect(remembered()).toEqual(blockNumbers(0, 25))
    expect(status()).toMatchObject({ indexedBlock: 25, indexedTimestamp: 120 })
    expect(logged.at(-1)).toBe('warn: the chain was reorganised: 5 blocks reverted')
  })

  test('that is over when the blocks are compared reverts nothing', async () => {
    const world = await createWorld()
    await world.reach(30)
    world.chain.forkedFrom = 30
    world.onRequest = (request) => {
      if (request === 'headers') world.chain.forkedFrom = Infinity
    }
    expect(await world.step()).toEqual([])
  })

  test('below all remembered blocks is too deep once three comparisons in a row show it', async () => {
    const { chain, reach, step, remembered } = await createWorld()
    await reach(30)
    const codes: unknown[] = []
    for (const forkedFrom of [20, 20, 30, 19, 19, 19]) {
      chain.forkedFrom = forkedFrom
      const code = (error: { code: string; retryable: boolean }) => [error.code, error.retryable]
      codes.push(await step(30).catch(code))
    }
    const passing = ['CHAIN_INCONSISTENT', true]
    expect(codes).toEqual([passing, passing, ['revert 29'], passing, passing, ['REORG_TOO_DEEP', false]])
    expect(remembered()).toEqual(blockNumbers(0, 29))
  })
})

describe('blocks whose logs are read once more when they are final', () => {
  /** A world that followed the chain to block 40 without the log of block 25, which is final and read a minute ago. */
  async function createLateWorld() {
    const world = await createWorld()
    Object.assign(world.chain, { madeIn: [25], loglessBlock: 25 })
    await world.reach(30)
    await world.step(40)
    world.time.steadyMs += 60_000
    return world
  }

  test('and that had no logs before are reverted and indexed again, with the blocks after them', async () => {
    const { chain, step, status, logged } = await createLateWorld()
    chain.loglessBlock = null
    const done = ['agreed 0', 'everywhere', 'forget below 24', 'revert 24']
    expect(await step()).toEqual(done)
    expect(status()).toMatchObject({ indexedBlock: 24, blocksMended: 1 })
    expect(logged.at(-1)).toBe(
      'warn: block 25 has other logs, now that it is final, than near the head: the 16 blocks from there on are read again',
    )
    expect(await step()).toEqual(['agreed 30', 'agreed 24', 'apply 25-30 with 25'])
    expect(await step()).toEqual(['apply 31-40', 'rest'])
  })

  test('keep a log that no endpoint gives any more until three looks agree', async () => {
    const { chain, reach, step, time } = await createWorld()
    chain.madeIn = [25]
    await reach(30)
    await step(40)
    chain.loglessBlock = 25
    const looks: (readonly string[])[] = []
    for (let look = 0; look < 3; look++) {
      time.steadyMs += 60_000
      looks.push((await step()).filter((each) => !each.startsWith('agreed')))
    }
    expect(looks).toEqual([
      ['everywhere', 'forget below 24', 'rest'],
      ['everywhere', 'rest'],
      ['everywhere', 'revert 24'],
    ])
  })

  test('and whose logs keep changing are reported after three attempts, and left as they are', async () => {
    const world = await createLateWorld()
    const { chain, step, time, logged, status } = world
    const marked: string[] = []
    // The endpoint has the log whenever it is asked once more, and never when the block is indexed.
    world.onRequest = (request) => {
      if (request.startsWith('mark')) marked.push(request)
      chain.loglessBlock = request === 'again' || request === 'everywhere' ? null : 25
    }
    for (let look = 0; look < 12; look++) {
      await step()
      time.steadyMs += 60_000
    }
    expect(logged.filter((line) => line.includes('has other logs'))).toHaveLength(3)
    expect(logged.filter((line) => line.startsWith('error'))).toHaveLength(1)
    expect(marked).toEqual([expect.stringContaining('these, now those logs of block 25')])
    expect(status()).toMatchObject({ phase: 'following', indexedBlock: 40, blocksMended: 3 })
  })

  test('do not stop the head while endpoints do not return them, and the status reports it in the end', async () => {
    const world = await createLateWorld()
    world.onRequest = (request) => {
      if (request === 'again') throw new RpcRefusedError('no', { retryable: true, facts: {} })
    }
    const errors: (string | null)[] = []
    for (let look = 0; look < 3; look++) {
      await world.step()
      errors.push(world.status().lastError)
      world.time.steadyMs += 60_000
    }
    expect(errors).toEqual([null, null, 'the logs of final blocks cannot be read once more: no'])
    expect(await world.step(41)).toContain('apply 41-41')
    world.onRequest = () => undefined
    world.time.steadyMs += 60_000
    await world.step()
    expect(world.status().lastError).toBeNull()
  })

  test('are confirmed before a backfill that would forget them', async () => {
    const { chain, step } = await createLateWorld()
    chain.loglessBlock = null
    expect(await step(900)).toEqual(['agreed 890', 'agreed 40', 'everywhere', 'forget below 24', 'revert 24'])
  })
})

describe('records without logs', () => {
  test('that a contract left out are indexed by the step after the backfill that met them', async () => {
    const { chain, step } = await createWorld({ deploymentAt: silentDeployment })
    Object.assign(chain, { madeIn: [20, 60], loglessBlock: 60 })
    expect(await step(80)).toEqual(['agreed 70', 'apply 0-39 with 20'])
    expect(await step()).toEqual(['agreed 70', 'agreed 39', 'apply 40-70 with 60'])
  })

  test.each([
    // Blocks 30 and 31 have the same time: a record of this time counts as one of block 30.
    { place: 'in a remembered block', madeIn: 31, reverted: ['revert 29'], applied: 'apply 30-33 with 30' },
    { place: 'above the checkpoint', madeIn: 32, reverted: [], applied: 'apply 31-33 with 32' },
  ])('that a contract left out $place are indexed by the next step', async (each) => {
    const { chain, reach, step } = await createWorld({ deploymentAt: silentDeployment })
    await reach(30)
    Object.assign(chain, { madeIn: [each.madeIn], loglessBlock: each.madeIn })
    expect(await step(33)).toEqual(each.reverted)
    expect(await step()).toEqual([each.applied, 'rest'])
  })

  test('that no endpoint has are marked, and the backfill goes on', async () => {
    const { chain, step, status } = await createWorld()
    Object.assign(chain, { madeIn: [60, 200], loglessBlock: 60 })
    const done = await step(300)
    expect(done.filter((each) => each.includes('are missing from the index'))).toHaveLength(1)
    expect(status()).toMatchObject({ phase: 'backfilling', indexedBlock: 290 })
  })
})
