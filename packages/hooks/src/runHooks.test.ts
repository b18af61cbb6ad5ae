import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { changeAddress } from '@attestry/test/harness/changeAddress.ts'
import { projections } from '@attestry/test/harness/projections.ts'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { createJournalTail } from '@attestry/core/changes/journalTail.ts'
import { everyChange } from '@attestry/server/pipeline/testing/everyChange.ts'
import { presentDecodedChange } from '@attestry/server/interfaces/events/presentChange.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import {
  generateAgentBlocks,
  registry,
  subjectAt,
  type AgentStep,
} from '@attestry/agents/projection/testing/generatedAgents.ts'
import { addresses, generateBlocks, schemaId, type Step } from '@attestry/store/testing/generatedChain.ts'
import { withHook } from '@attestry/store/testing/withHook.ts'
import { histories, playHistory } from '@attestry/store/testing/playHistory.ts'
import { batchOf, exportOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { agentProtocol, feedbackSchemaId, formatAgentId } from '@attestry/core/model/agents.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { steadyClock, type Clock } from '@attestry/core/model/clock.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { hookEvents, type HookConfig } from './hookConfig.ts'
import { runHooks } from './runHooks.ts'
import { parseHookState } from './hookState.ts'
import { exportedRecords, followMessages } from './testing/followMessages.ts'
import { startReceiver, testSecret, type ReceivedMessage, type Receiver } from './testing/startReceiver.ts'

const intervals = { versionMs: 1, tableMs: 1, claimMs: 1 }
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function hookTo({ url }: Pick<Receiver, 'url'>, oddities: Partial<HookConfig> = {}): HookConfig {
  const events = new Set(hookEvents)
  return {
    name: 'test',
    url,
    secrets: [testSecret],
    events,
    when: 'head',
    filter: everyChange,
    staleAfterMs: 300_000,
    ...oddities,
  }
}

/** An index of one chain. */
async function openIndex() {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 4, projections })
  const writer = openSqliteWriter(path, { projections })
  const reader = openSqliteReader(path, { projections })
  closing.push(
    () => remove(),
    () => reader.close(),
    () => writer.close(),
  )
  return { writer, reader }
}

type Index = Awaited<ReturnType<typeof openIndex>>

/** A process that sends. `kill` ends it without saving, as `kill -9` does. */
function send(
  { writer, reader }: Index,
  hooks: readonly HookConfig[],
  {
    now = Date.now,
    clock = steadyClock,
  }: {
    readonly now?: () => number
    readonly clock?: Clock
  } = {},
) {
  const stop = new AbortController()
  const logged: string[] = []
  let isDead = false
  const saveHooks: IndexWriter['saveHooks'] = (saved) =>
    isDead ? Promise.resolve() : writer.saveHooks(saved)
  const ended = runHooks(
    {
      hooks,
      reader,
      writer: { ...writer, saveHooks },
      tail: createJournalTail({ journal: null, version: () => reader.indexVersion(), clock }),
      decodePayload: decodeAttestedPayload,
      presentChange: (change) => presentDecodedChange(change, decodeAttestedPayload),
      now,
      clock,
      log: (_level, message) => logged.push(message),
      intervals,
    },
    stop.signal,
  )
  const end = async () => {
    stop.abort()
    await ended
  }
  closing.push(end)
  return {
    logged,
    stop: end,
    kill: () => {
      isDead = true
      return end()
    },
  }
}

/** Waits until the hook has begun: all later changes are reported. */
async function begun({ reader }: Index, name = 'test'): Promise<void> {
  await expect
    .poll(async () => (await reader.listHooks()).some((hook) => hook.name === name), {
      interval: 2,
    })
    .toBe(true)
}

async function caughtUp({ reader }: Index, name = 'test'): Promise<void> {
  // A reader sees one state of the index for a whole turn of the event loop.
  await nextTurn()
  const place = await reader.newestChange()
  await vi.waitUntil(
    async () => {
      const row = (await reader.listHooks()).find((hook) => hook.name === name)
      const reached = parseHookState(row?.stateJson ?? null)?.place
      return reached?.sequence === place.sequence && reached.offset === place.offset
    },
    { interval: 2, timeout: 60_000 },
  )
}

/** Waits until the state says that the hook has stopped. */
async function caughtUpToStop({ reader }: Index): Promise<void> {
  await expect
    .poll(async () => parseHookState((await reader.listHooks())[0]?.stateJson ?? null)?.stopped !== null, {
      interval: 2,
    })
    .toBe(true)
}

test('a receiver that follows the messages knows the records of the index, whatever is killed, refused and reorganised', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.array(fc.constantFrom('go on', 'go on', 'kill', 'stop'), { minLength: 3, maxLength: 8 }),
      fc.nat(5),
      async (history, fates, refusals) => {
        const index = await openIndex()
        let requests = 0
        const receiver = await startReceiver((response) => {
          // Every few messages one is taken without an answer that says so, or refused.
          const isTaken = refusals === 0 || ++requests % (refusals + 2) !== 0
          if (!isTaken && requests % 2 === 0) response.destroy()
          else response.writeHead(isTaken ? 200 : 500).end('x'.repeat(20_000))
          return isTaken
        })
        closing.push(() => receiver.close())
        const hooks = [hookTo(receiver)]
        let sender = send(index, hooks)
        await begun(index)
        let commits = 0
        const live = async () => {
          const fate = fates[commits++ % fates.length]
          if (fate === 'go on') return await nextTurn()
          await (fate === 'kill' ? sender.kill() : sender.stop())
          sender = send(index, hooks)
        }
        await playHistory(withHook(index.writer, live), history)
        // An operator tries again at once what would wait for its pause.
        const orders = setInterval(() => {
          void index.writer.orderHook('test', {
            orderJson: JSON.stringify({ kind: 'resume', orderedAt: performance.now() }),
          })
        }, 20)
        try {
          await caughtUp(index)
        } finally {
          clearInterval(orders)
        }
        expect(followMessages(receiver.messages)).toEqual(exportedRecords(await exportOf(index.reader)))
        for (const close of closing.splice(0).reverse()) await close()
      },
    ),
    { numRuns: Math.ceil(25 * inject('historyShare')), verbose: 1 },
  )
})

describe('a hook', () => {
  test('delivers decoded messages in index order, each once, and none from before its start', async () => {
    const index = await openIndex()
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    await index.writer.openChain(identityOf(5))
    const before = generateBlocks(5, [], attestations(3), 'a')
    await index.writer.applyBlocks(5, batchOf(before))
    const sender = send(index, [hookTo(receiver)])
    await begun(index)
    const blocks = generateBlocks(5, before, attestations(250), 'a')
    await index.writer.applyBlocks(5, batchOf(blocks))
    await caughtUp(index)
    await sender.stop()
    const made = blocks.flatMap(({ events }) => events)
    expect(made).toHaveLength(250)
    expect(receiver.messages.map(({ data }) => data['attestationId'])).toEqual(
      made.map((event) => (event.kind === 'attestationMade' ? event.attestation.key.localId : null)),
    )
    expect(receiver.messages[0]).toMatchObject({
      type: 'attestation.made',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { revoked: false, schema: {}, decodedData: null, decodedDataError: expect.any(String) },
    })
  })

  test('filtered by a schema id of two protocols reports those of the first, and every reverted record', async () => {
    const index = await openIndex()
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    const filter = { ...everyChange, schema: { chainId: 5, localId: schemaId(0) } }
    send(index, [hookTo(receiver, { filter })])
    await begun(index)
    const { writer } = index
    await writer.openChain(identityOf(5))
    const register = (what: number): Step => ({ kind: 0, gap: 1, who: 0, whom: 0, what, text: 0 })
    const made = attestations(4).map((step) => ({ ...step, what: 0 }))
    // Of Sign Protocol and of EAS in turn.
    await writer.applyBlocks(5, batchOf(generateBlocks(5, [], [register(0), register(9), ...made], 'a')))
    await caughtUp(index)
    const told = () => receiver.messages.map(({ type, data }) => `${type} ${String(data['protocol'])}`)
    expect(told()).toEqual(['schema.registered eas', 'attestation.made eas', 'attestation.made eas'])
    await writer.revertBlocks(5, 1, unixMilliseconds(1))
    await caughtUp(index)
    expect(
      told()
        .slice(3)
        .filter((line) => line.endsWith('eas')),
    ).toEqual(Array.from({ length: 3 }, () => 'record.reverted eas'))
  })

  test("filtered by an agent reports the agent's feedback, its revocation and reverts", async () => {
    const index = await openIndex()
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    const schema = { chainId: 5, localId: feedbackSchemaId, protocol: agentProtocol }
    const value = formatAgentId({ chainId: 5, subject: subjectAt(1) }, registry)
    const filter = { ...everyChange, schema, recipient: { kind: 'value', value } } as const
    send(index, [hookTo(receiver, { filter })])
    await begun(index)
    const { writer } = index
    await writer.openChain(identityOf(5))
    const step = (kind: number, agent: number, what = 0): AgentStep => ({ kind, gap: 1, agent, who: 1, what })
    // A registration, feedback for the agent, for another agent, a validation, and the revocation of the first feedback.
    const life = [step(0, 1), step(8, 1), step(8, 2), step(11, 1), step(5, 1, 0)]
    await writer.applyBlocks(5, batchOf(generateAgentBlocks(5, [], life, 'a')))
    await caughtUp(index)
    const told = () =>
      receiver.messages.map(({ type, data }) => [type, data['record'] ?? null, data['recipients']])
    const recipients = [checksumAddress(addresses[1]!), value]
    expect(told()).toEqual([
      ['attestation.made', null, recipients],
      ['attestation.revoked', null, recipients],
    ])
    await writer.revertBlocks(5, 4, unixMilliseconds(1))
    await writer.revertBlocks(5, 1, unixMilliseconds(2))
    await caughtUp(index)
    expect(told().slice(2)).toEqual([
      ['record.reverted', 'revocation', recipients],
      ['record.reverted', 'attestation', recipients],
    ])
  })

  test('that hangs, or whose name leads nowhere, holds up no other, and neither shows its URL', async () => {
    const index = await openIndex()
    const [receiver, hanging] = [await startReceiver(), await startReceiver(() => false)]
    closing.push(
      () => receiver.close(),
      () => hanging.close(),
    )
    const lost = { url: 'https://nowhere.invalid/?key=hidden' }
    const sender = send(index, [
      hookTo(receiver),
      hookTo(hanging, { name: 'hanging' }),
      hookTo(lost, { name: 'lost' }),
    ])
    for (const name of ['test', 'hanging', 'lost']) await begun(index, name)
    await index.writer.openChain(identityOf(5))
    await index.writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(20), 'a')))
    await caughtUp(index)
    expect(receiver.messages).toHaveLength(20)
    await expect.poll(() => hanging.requestCount()).toBe(1)
    await expect
      .poll(() => sender.logged.some((line) => line.includes('hook lost cannot deliver')))
      .toBe(true)
    expect(sender.logged.join('\n')).not.toContain('hidden')
    expect(JSON.stringify(await index.reader.listHooks())).not.toContain('hidden')
  })

  test('finds a receiver whose name leads to another address than before', async () => {
    const index = await openIndex()
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    const { lookups } = changeAddress('receiver.test', 1)
    send(index, [hookTo({ url: receiver.url.replace('127.0.0.1', 'receiver.test') })])
    await begun(index)
    await index.writer.openChain(identityOf(5))
    await index.writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(2), 'a')))
    await expect.poll(() => receiver.messages.length).toBe(2)
    expect(lookups()).toBe(2)
  })

  test('follows no redirect, and is shown with its failure', async () => {
    const index = await openIndex()
    const target = await startReceiver()
    const receiver = await startReceiver((response) => {
      response.writeHead(307, { location: target.url }).end()
      return false
    })
    closing.push(
      () => receiver.close(),
      () => target.close(),
    )
    const sender = send(index, [hookTo(receiver)])
    await begun(index)
    await index.writer.openChain(identityOf(5))
    await index.writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(2), 'a')))
    await expect
      .poll(async () => {
        const state = parseHookState((await index.reader.listHooks())[0]?.stateJson ?? null)
        return state?.failure?.message === 'the receiver answered 307; redirects are not followed'
      })
      .toBe(true)
    await sender.stop()
    expect(target.requestCount()).toBe(0)
  })

  test('with `when: final` reports only final records, once each, including a revocation settled later', async () => {
    const index = await openIndex()
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    const sender = send(index, [hookTo(receiver, { when: 'final' })])
    await begun(index)
    const { writer } = index
    await writer.openChain(identityOf(5))
    const blocks = generateBlocks(5, [], attestations(30), 'a')
    // The newest ten blocks are remembered, and the oldest of those is final.
    const finalBlock = (blocks.at(-10) ?? blocks[0])?.number ?? 0
    const batch = batchOf(blocks)
    await writer.applyBlocks(5, { ...batch, recentBlocks: batch.recentBlocks.slice(-10) })
    const finals = blocks.filter(({ number }) => number <= finalBlock).flatMap(({ events }) => events)
    await expect.poll(() => receiver.messages.length).toBe(finals.length)
    await writer.revertBlocks(5, finalBlock, unixMilliseconds(1))
    const after = generateBlocks(
      5,
      blocks.filter(({ number }) => number <= finalBlock),
      attestations(4),
      'b',
    )
    await writer.applyBlocks(5, { ...batchOf(after), recentBlocks: [], forgetBlocksBelow: 1_000_000 })
    await expect.poll(() => receiver.messages.length).toBe(finals.length + 4)
    await sender.stop()
    expect(receiver.messages.map(({ type }) => type)).not.toContain('record.reverted')
    expect(followMessages(receiver.messages)).toEqual(exportedRecords(await exportOf(index.reader)))
  })

  test('pauses, resumes, and begins anew from a block, with other ids', async () => {
    const index = await openIndex()
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    const { writer } = index
    send(index, [hookTo(receiver)])
    await begun(index)
    await writer.orderHook('test', { paused: true })
    await writer.openChain(identityOf(5))
    const blocks = generateBlocks(5, [], attestations(9), 'a')
    await nextTurn()
    await expect.poll(async () => (await index.reader.listHooks())[0]?.paused).toBe(true)
    // The first of two further looks has ended.
    const looks = vi.spyOn(index.reader, 'listHooks')
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(1)
    await writer.applyBlocks(5, batchOf(blocks))
    expect(receiver.requestCount()).toBe(0)
    await writer.orderHook('test', { paused: false })
    await caughtUp(index)
    expect(receiver.messages).toHaveLength(9)
    const fifth = blocks.filter(({ events }) => events.length > 0)[4]?.number ?? 0
    const from = { kind: 'block', chainId: 5, block: fifth }
    await writer.orderHook('test', { orderJson: JSON.stringify({ kind: 'replay', from, orderedAt: 1 }) })
    await expect.poll(() => receiver.messages.length).toBe(14)
    await expect.poll(async () => (await index.reader.listHooks())[0]?.orderJson).toBeNull()
    const dataOf = (messages: readonly ReceivedMessage[]) => messages.map(({ data }) => data)
    expect(dataOf(receiver.messages.slice(9))).toEqual(dataOf(receiver.messages.slice(4, 9)))
    expect(new Set(receiver.messages.map(({ id }) => id)).size).toBe(14)
  })

  test('stops with an error if the journal no longer reaches back, and delivers nothing after the gap', async () => {
    const index = await openIndex()
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    const { writer } = index
    await writer.openChain(identityOf(5))
    const state = {
      place: { sequence: 5, offset: 0 },
      spans: {},
      round: 0,
      staleChains: [],
      failure: null,
      stopped: null,
    }
    const stateJson = JSON.stringify({ ...state, deliveredCount: 3, deliveredAt: 1 })
    await writer.saveHooks([{ name: 'test', stateJson, takenOrderJson: null }])
    const sender = send(index, [hookTo(receiver)])
    const stopped = () => sender.logged.some((line) => line.includes('attestry hooks replay test --from'))
    await expect.poll(stopped).toBe(true)
    await writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(3), 'a')))
    await caughtUpToStop(index)
    expect(receiver.requestCount()).toBe(0)
    const order = { kind: 'replay', from: { kind: 'time', timestamp: 0 }, orderedAt: 1 }
    await writer.orderHook('test', { orderJson: JSON.stringify(order) })
    await expect.poll(() => receiver.messages.length).toBe(3)
  })

  test('reports once that a chain is stale, and once that it is fresh again', async () => {
    const index = await openIndex()
    const receiver = await startReceiver()
    closing.push(() => receiver.close())
    const { writer } = index
    await writer.openChain(identityOf(5))
    let [now, passedMs] = [1_800_000_000_000, 0]
    const status = {
      chainId: 5,
      name: 'Five',
      explorer: null,
      protocols: ['sign'],
      phase: 'following',
      headTimestamp: null,
      headSource: 'polling',
      indexedTimestamp: null,
      headBlock: 1,
      indexedBlock: null,
      fromChunks: null,
      reachedHead: true,
      eventsPerSecond: 0,
      blocksMended: 0,
      history: [],
      lastError: null,
    } as const
    const save = (oddities: object) =>
      writer.saveChainStatus({ ...status, updatedAt: unixMilliseconds(now), ...oddities })
    await save({ phase: 'retrying', lastError: 'no endpoint answers' })
    const clock: Clock = { ...steadyClock, nowMs: () => passedMs }
    send(index, [hookTo(receiver, { staleAfterMs: 1_000 })], { now: () => now, clock })
    await begun(index)
    // A clock that is set makes no chain stale, nor keeps one from it.
    now += 3_600_000
    const looks = vi.spyOn(index.reader, 'listChains')
    await expect
      .poll(
        () => {
          passedMs += 1
          return looks.mock.calls.length > 3
        },
        { interval: 2 },
      )
      .toBe(true)
    expect(receiver.requestCount()).toBe(0)
    now -= 7_200_000
    await expect
      .poll(() => {
        passedMs += 300
        return receiver.messages.length > 0
      })
      .toBe(true)
    expect(receiver.messages).toMatchObject([
      { type: 'chain.stale', data: { chainId: '5', phase: 'retrying', lastError: 'no endpoint answers' } },
    ])
    const blocks = generateBlocks(5, [], attestations(2), 'a')
    await writer.applyBlocks(5, batchOf(blocks))
    await save({ headBlock: blocks.at(-1)?.number })
    await expect.poll(() => receiver.messages.some(({ type }) => type === 'chain.fresh')).toBe(true)
    const ofChain = receiver.messages.filter(({ type }) => type.startsWith('chain'))
    expect(ofChain.map(({ type }) => type)).toEqual(['chain.stale', 'chain.fresh'])
  })
})

/** Attestations, one a block. */
function attestations(length: number): Step[] {
  return Array.from({ length }, (_, what) => ({ kind: 19, gap: 1, who: what % 4, whom: 1, what, text: 3 }))
}
