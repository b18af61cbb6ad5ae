import { expect, test } from 'vitest'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { eventPosition, positionBlock } from '@attestry/core/model/position.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { addBefore, extendDigest, noDigest } from './chainDigest.ts'

const event: DomainEvent = {
  kind: 'anchorMade',
  position: eventPosition(0, 0),
  protocol: 'sign',
  anchor: 'OffchainAttestationMade',
  account: null,
  value: 'a',
  timestamp: unixSeconds(0),
  transactionHash: zeroHash,
  reason: '',
}
const events = Array.from({ length: 700 }, (_, index) => {
  return { ...event, position: eventPosition(Math.floor(index / 3), index % 3) }
})
const blockOf = (each: DomainEvent | undefined) => positionBlock((each ?? event).position)

test('digests of a part whose predecessors are only counted become those of the chain', () => {
  const whole = extendDigest(noDigest, events, blockOf(events.at(-1)))
  expect(whole.marks.length).toBeGreaterThan(1)
  for (const cut of [3, 255, 258, 300]) {
    const before = extendDigest(noDigest, events.slice(0, cut), blockOf(events[cut - 1]))
    const part = extendDigest({ ...noDigest, events: cut }, events.slice(cut), blockOf(events.at(-1)))
    const after = addBefore(part, before.digest.sum)
    expect(after.digest).toEqual(whole.digest)
    expect([...before.marks, ...after.marks]).toEqual(whole.marks)
  }
})
