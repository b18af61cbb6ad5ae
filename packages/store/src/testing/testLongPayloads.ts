import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { AttestationMade, DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { endOf, everyAttestation, type ChangePlace } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { generateBlocks } from './generatedChain.ts'
import { batchOf, identityOf, withStore, type CreateTestStore } from './storeFactory.ts'

const chainId = 5
const steps = Array.from({ length: 12 }, (_, kind) => ({ kind, gap: 1, who: 1, whom: 4, what: 3, text: 5 }))
const blocks = generateBlocks(chainId, [], steps, 'a')
const template = blocks
  .flatMap(({ events }) => events)
  .find((event): event is AttestationMade => event.kind === 'attestationMade')

const count = 16
const whole = { detail: true, schema: true }
const mebibyte = 1024 * 1024
const lengths = Array.from({ length: count }, (_, index) => (index % 4 === 0 ? 3 : 400 * 1024))

/** The payload of the record with a number: the first byte is its number. */
const payloadOf = (index: number) =>
  `0x${Buffer.alloc(lengths[index] ?? 0, 7 * index + 1).toString('hex')}` as Hex

/** Attestations in a block of their own, most with payloads of 400 KiB. */
function events(): DomainEvent[] {
  if (template === undefined) throw new Error('the blocks have an attestation')
  const { attestation } = template
  return lengths.map((_, index): DomainEvent => {
    const position = eventPosition(100, index)
    const localId = `0x${(index + 1).toString(16).padStart(64, '0')}` as LocalId
    const key = { ...attestation.key, localId }
    return {
      ...template,
      position,
      attestation: { ...attestation, key, position, data: payloadOf(index), dataLocation: 'ONCHAIN' },
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
      for (let after = -1, hasMore = true; hasMore;) {
        const range = { after, upTo: eventPosition(101, 0) }
        const slice = await reader.listRecordsBetween(chainId, range, count)
        for (const { place } of slice.changes) hooked.push(place.offset - eventPosition(100, 0))
        ;({ next: after, hasMore } = slice)
      }
      expect(hooked).toEqual(walked)
    })
  })
}
