import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DomainEvent } from '../model/domainEvent.ts'
import { zeroHash } from '../model/hex.ts'
import { eventPosition, positionBlock } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import { splitAtBlocks } from './splitAtBlocks.ts'

test('no event is lost, no block is cut in two, and every part but the last is large enough', () => {
  const blocks = fc.array(fc.nat(30), { maxLength: 80 }).map((numbers) => numbers.sort((a, b) => a - b))
  fc.assert(
    fc.property(blocks, fc.integer({ min: 1, max: 10 }), fc.nat(5), (numbers, eventsMin, emptyBlocks) => {
      const events = numbers.map((block, index) => anchorAt(block, index))
      const toBlock = (numbers.at(-1) ?? 0) + emptyBlocks
      const parts = splitAtBlocks(events, toBlock, eventsMin)
      expect(parts.flatMap((part) => part.events)).toEqual(events)
      expect(parts.at(-1)?.toBlock).toBe(toBlock)
      let previousTo = -1
      for (const { toBlock: partTo, events: partEvents } of parts) {
        const partBlocks = partEvents.map(({ position }) => positionBlock(position))
        expect(partBlocks.every((block) => block > previousTo && block <= partTo)).toBe(true)
        previousTo = partTo
      }
      expect(parts.slice(0, -1).every((part) => part.events.length >= eventsMin)).toBe(true)
    }),
  )
})

test('events of many blocks make more than one part', () => {
  const events = [1, 1, 2, 3, 3, 3, 4].map((block, index) => anchorAt(block, index))
  expect(splitAtBlocks(events, 9, 2).map((part) => [part.toBlock, part.events.length])).toEqual([
    [1, 2],
    [3, 4],
    [9, 1],
  ])
})

function anchorAt(block: number, logIndex: number): DomainEvent {
  return {
    kind: 'anchorMade',
    position: eventPosition(block, logIndex),
    protocol: 'sign',
    anchor: 'Timestamped',
    account: null,
    value: '0x00',
    timestamp: unixSeconds(0),
    transactionHash: zeroHash,
    reason: '',
  }
}
