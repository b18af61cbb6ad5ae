import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { expect, test, vi } from 'vitest'
import { createJournalTail } from '@attestry/core/changes/journalTail.ts'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { runAs } from '@attestry/core/shares/askers.ts'
import { createRequestMeter } from '../../pipeline/metrics/requestMeter.ts'
import { createTestIndex, openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { createTestJournal } from '../../pipeline/testing/createTestJournal.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { sampleAttestation } from '../../pipeline/testing/sampleRecords.ts'
import { createChangeStreams, type EventLimits } from './createChangeStreams.ts'
import type { Subscriber } from './changeFeed.ts'

const attestationOf = (number: number) =>
  sampleAttestation(number, { key: { chainId: 1, localId: localIdOfCounter(BigInt(number)) } })

/** Streams whose responses are kept in memory. */
function openStreams(limits: Partial<EventLimits> = {}) {
  const journal = createTestJournal()
  const version = () => journal.indexVersion()
  const streams = createChangeStreams({ addHook: () => undefined } as unknown as FastifyInstance, {
    reader: openTestIndex(createTestIndex()),
    journal,
    tail: createJournalTail({ journal, version }),
    formTail: createJournalTail({ journal, version }),
    decodePayload: () => ({ kind: 'undecodable', reason: 'nothing is decoded' }),
    meter: createRequestMeter(),
    limits: { pollIntervalMs: 2, ...limits },
  })
  const listen = async (format?: NonNullable<Subscriber['form']>['format']) => {
    const written: string[] = []
    const response = Object.assign(new EventEmitter(), {
      socket: null,
      writableLength: 0,
      writeHead: () => undefined,
      write: (text: string) => written.push(text),
      end: () => response.emit('close'),
      destroy: () => response.emit('close'),
    })
    let isClosed = false
    response.once('close', () => {
      isClosed = true
    })
    streams.open(response as unknown as ServerResponse, {
      filter: { schema: null, attester: null, recipient: null, chainId: null, protocol: null, fields: [] },
      place: await journal.newestChange(),
      opening: '',
      leave: streams.enter(format === undefined ? 0 : 1),
      ...(format === undefined ? {} : { form: { heartbeat: '', format } }),
    })
    return { written, isClosed: () => isClosed, leave: () => response.destroy() }
  }
  return { journal, streams, listen }
}

test('streams without documents do not wait for those with one', async () => {
  const { journal, listen } = openStreams()
  const stuck = await listen(() => new Promise(() => undefined))
  const plain = await listen()
  for (const number of [1, 2]) await journal.make(attestationOf(number))
  const told = () => plain.written.join('').match(/event: attestation/g)?.length
  await vi.waitUntil(() => told() === 2, { timeout: 60_000 })
  expect(stuck.written).toEqual([''])
  stuck.leave()
  plain.leave()
  await journal.close()
})

test('only the stream ends whose client has used up its time for documents', async () => {
  const { journal, listen } = openStreams()
  const [first, second] = [
    await listen(() => Promise.reject(new OverloadedError('Too much.', 5))),
    await listen((id) => Promise.resolve(`document ${id}\n`)),
  ]
  await journal.make(attestationOf(1))
  await vi.waitUntil(() => second.written.join('').includes('document'), { timeout: 60_000 })
  expect([first.isClosed(), second.isClosed()]).toEqual([true, false])
  second.leave()
  await journal.close()
})

test('documents of one client cost a share of what those of all may cost', () => {
  const { streams } = openStreams({ documentCostMax: 160, documentMsMax: 1_600 })
  const enter = (name: string, cost?: number) => runAs({ name, hasKey: false }, () => streams.enter(cost))
  const leave = enter('192.0.2.1', 30)
  expect(() => enter('192.0.2.1', 1)).toThrow('as many documents as it may')
  enter('192.0.2.1')()
  enter('192.0.2.2', 20)
  leave()
  enter('192.0.2.1', 20)
  const charge = (name: string, elapsedMs: number) =>
    runAs({ name, hasKey: false }, () => streams.chargeDocument(elapsedMs))
  charge('192.0.2.3', 290)
  expect(() => charge('192.0.2.3', 100)).toThrow('take more time than it has')
  expect(() => enter('192.0.2.3', 1)).toThrow('take more time than it has')
  charge('192.0.2.4', 200)
  enter('192.0.2.4', 1)
})
