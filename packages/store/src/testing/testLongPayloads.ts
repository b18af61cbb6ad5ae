import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { AttestationMade, DomainEvent, SchemaRegistered } from '@attestry/core/model/domainEvent.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { endOf, everyAttestation, type ChangePlace } from '@attestry/core/index/indexQueries.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { SpanPlace } from '@attestry/core/index/hookStore.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { addresses, generateBlocks } from './generatedChain.ts'
import {
  batchOf,
  identityOf,
  withStore,
  type CreateTestStore,
  type TestStoreOptions,
} from './storeFactory.ts'

const chainId = 5
const steps = Array.from({ length: 12 }, (_, kind) => ({ kind, gap: 1, who: 1, whom: 4, what: 3, text: 5 }))
const blocks = generateBlocks(chainId, [], steps, 'a')
const template = blocks
  .flatMap(({ events }) => events)
  .find((event): event is AttestationMade => event.kind === 'attestationMade')

const registration = blocks
  .flatMap(({ events }) => events)
  .find((event): event is SchemaRegistered => event.kind === 'schemaRegistered')

const count = 16
const whole = { detail: true, schema: true }
const mebibyte = 1024 * 1024
const lengths = Array.from({ length: count }, (_, index) => (index % 4 === 0 ? 3 : 400 * 1024))

/** The payload of the record with a number: the first byte is its number. */
const payloadOf = (index: number) =>
  `0x${Buffer.alloc(lengths[index] ?? 0, 7 * index + 1).toString('hex')}` as Hex

/** Attestations in a block of their own, most with payloads of 400 KiB. */
function events(changes: (index: number) => Partial<Attestation> = () => ({})): DomainEvent[] {
  if (template === undefined) throw new Error('the blocks have an attestation')
  const { attestation } = template
  return lengths.map((_, index): DomainEvent => {
    const position = eventPosition(100, index)
    const localId = `0x${(index + 1).toString(16).padStart(64, '0')}` as LocalId
    const key = { ...attestation.key, localId }
    return {
      ...template,
      position,
      attestation: {
        ...attestation,
        key,
        position,
        data: payloadOf(index),
        dataLocation: 'ONCHAIN',
        ...changes(index),
      },
    }
  })
}

export function testLongPayloads(create: CreateTestStore): void {
  test('few long payloads are read at a time, and none is missing at the end', async () => {
    await withStore(create, { rankThreshold: 1_000 }, async (writer, reader) => {
      await writer.openChain(identityOf(chainId))
      const start = await reader.newestChange()
      const [first] = blocks
      if (first === undefined) throw new Error('there is a block')
      await writer.applyBlocks(chainId, batchOf([{ ...first, number: 100, events: events() }]))
      // A reader of SQLite sees one state for a turn of the event loop.
      await nextTurn()
      const numberOf = (localId: string) => Number(BigInt(localId)) - 1

      const listing = { filter: everyAttestation }
      const page = { page: 1, size: count }
      const { rows } = await reader.listAttestations(listing, page, { ...whole, payloadBytesMax: mebibyte })
      expect(rows).toHaveLength(count)
      expect(rows.map(({ detail, unreadBytes }) => [detail?.data.slice(0, 4), unreadBytes])).toEqual(
        rows.map(({ key }, index) => {
          const number = numberOf(key.localId)
          // Newest first: two long payloads have a mebibyte.
          const isRead = lengths[number] === 3 || index < 2
          return isRead ? [payloadOf(number).slice(0, 4), undefined] : ['0x', lengths[number]]
        }),
      )
      const all = await reader.listAttestations(listing, page, whole)
      for (const { key, detail } of all.rows) {
        expect(detail?.data === payloadOf(numberOf(key.localId))).toBe(true)
        expect((await reader.findAttestation(key))?.detail?.data === detail?.data).toBe(true)
      }

      const walked: number[] = []
      const sizes: number[] = []
      for (let after: RowPlace | null = null, hasMore = true; hasMore;) {
        const request = { filter: everyAttestation, order: 'oldestFirst', after, limit: count } as const
        const slice = await reader.sliceAttestations(request, whole)
        for (const { key, detail } of slice.rows) {
          walked.push(numberOf(key.localId))
          expect(detail?.data === payloadOf(numberOf(key.localId))).toBe(true)
        }
        sizes.push(slice.rows.length)
        after = endOf(slice)
        hasMore = slice.hasMore
      }
      expect(walked).toEqual(lengths.map((_, index) => index))
      expect(Math.max(...sizes)).toBeLessThan(count)

      const told: number[] = []
      let isLong = false
      for (let place: ChangePlace = start, hasMore = true; hasMore;) {
        const slice = await reader.listChanges(place, count)
        for (const change of slice.changes) {
          if (change.kind !== 'attestation') continue
          const number = numberOf(change.attestation.key.localId)
          told.push(number)
          expect(change.attestation.detail?.data === payloadOf(number)).toBe(true)
        }
        isLong ||= slice.changes.length > 6
        ;({ next: place, hasMore } = slice)
      }
      expect([told, isLong]).toEqual([walked, false])

      const hooked: number[] = []
      for (let place: SpanPlace = { after: -1 }, hasMore = true; hasMore;) {
        const range = { ...place, upTo: eventPosition(101, 0) }
        const slice = await reader.listRecordsBetween(chainId, range, count)
        for (const change of slice.changes) hooked.push(change.place.offset - eventPosition(100, 0))
        ;({ next: place, hasMore } = slice)
      }
      expect(hooked).toEqual(walked)
    })
  })
}

interface CheckedStore {
  openWriter(setting: 'none'): IndexWriter
  openReader(limits: { readonly sliceRowsMax: number; readonly countDurationMaxMs: number }): IndexReader
  remove(): Promise<void>
}

/** Whether the payload of each record is looked at that a condition on its values asks for. */
export function testLongChecks(create: (options: TestStoreOptions) => Promise<CheckedStore>): void {
  test('conditions on long payloads are judged by all of them', async () => {
    const store = await create({ rankThreshold: 1_000 })
    const writer = store.openWriter('none')
    // Payloads cost as much as many rows, and a busy machine reads them slowly.
    const reader = store.openReader({ sliceRowsMax: 10_000_000, countDurationMaxMs: 60_000 })
    await writer.openChain(identityOf(chainId))
    const [first] = blocks
    const recipients = addresses.slice(0, count)
    if (first === undefined || template === undefined || registration === undefined)
      throw new Error('there is a block')
    const { schema } = registration
    // All payloads give the first field of the schema the same value (testPayloads.ts).
    const made = events((index) => {
      const address = recipients[index % recipients.length]
      return {
        schemaLocalId: schema.key.localId,
        recipients: address === undefined ? [] : [{ kind: 'address', address }],
        revocationAtRead: { kind: 'none' },
        validUntil: 0n,
      }
    })
    const registered = {
      ...registration,
      position: eventPosition(99, 0),
      schema: { ...schema, protocol: template.attestation.protocol, position: eventPosition(99, 0) },
    }
    await writer.applyBlocks(
      chainId,
      batchOf([
        { ...first, number: 99, events: [registered] },
        { ...first, number: 100, events: made },
      ]),
    )
    await nextTurn()
    const fields = [
      { path: [schema.definition.fields[0]?.name ?? ''], operator: 'equals' as const, values: ['1'] },
    ]
    const filter = { ...everyAttestation, fields }
    expect(await reader.countAttestations(filter)).toBe(count)
    let found = 0
    for (let after: RowPlace | null = null, hasMore = true; hasMore;) {
      const request = { filter, order: 'newestFirst', after, limit: 10 } as const
      const slice = await reader.sliceAttestations(request, { detail: false, schema: false })
      found += slice.rows.length
      after = endOf(slice)
      hasMore = slice.hasMore
    }
    expect(found).toBe(count)
    const { attestation } = template
    const holdings = await reader.findHoldings({
      addresses: recipients,
      role: 'recipient',
      schema: { chainId, localId: schema.key.localId, protocol: null },
      attesters: null,
      fields,
      attestedFrom: null,
      valid: { kind: 'now', at: attestation.attestTimestamp },
      attestersMin: 1,
    })
    const newestOf = (index: number) =>
      index + recipients.length * Math.floor((count - 1 - index) / recipients.length)
    expect(holdings.map((keys) => keys?.map(({ localId }) => Number(BigInt(localId)) - 1))).toEqual(
      recipients.map((_, index) => [newestOf(index)]),
    )
    await writer.close()
    await reader.close()
    await store.remove()
  })
}
