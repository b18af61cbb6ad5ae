import { expect, test } from 'vitest'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { noBytes, type Address, type Hash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { compareEvents } from './compareEvents.ts'

const chainId = 10

test('an event that is missing moves the later ones of its block, which are no differences', () => {
  const onChain = [logAt(7, 0, 'a'), logAt(7, 1, 'b'), logAt(7, 2, 'c'), logAt(8, 0, 'a')]
  const stored = [logAt(7, 0, 'b'), logAt(7, 1, 'c'), logAt(8, 0, 'a')]
  expect(compareEvents(chainId, stored, onChain)).toMatchObject([
    { what: 'missing', blockNumber: 7, subject: 'undecodable log 7:0', remedy: 'reindex' },
  ])
  expect(compareEvents(chainId, onChain, stored)).toMatchObject([
    { what: 'extra', blockNumber: 7, subject: 'undecodable log 7:0', remedy: 'reindex' },
  ])
})

test('events in another order are differences', () => {
  const onChain = [logAt(7, 0, 'a'), logAt(7, 1, 'b'), logAt(8, 0, 'c')]
  const stored = [logAt(7, 0, 'b'), logAt(7, 1, 'a'), logAt(8, 0, 'c')]
  expect(compareEvents(chainId, stored, onChain)).toMatchObject([
    { what: 'changed', blockNumber: 7, field: 'eventIndex', stored: '1', expected: '0' },
    { what: 'changed', blockNumber: 7, field: 'eventIndex', stored: '0', expected: '1' },
  ])
})

test('another event in the same place is a change of it', () => {
  expect(compareEvents(chainId, [logAt(7, 0, 'a')], [logAt(7, 0, 'b')])).toMatchObject([
    { what: 'changed', blockNumber: 7, field: 'transactionHash' },
  ])
})

function logAt(block: number, index: number, transaction: string): DomainEvent {
  return {
    kind: 'undecodableLog',
    position: eventPosition(block, index),
    protocol: 'sign',
    contract: `0x${'c0'.repeat(20)}` as Address,
    topics: [],
    data: noBytes,
    transactionHash: `0x${transaction.repeat(64)}` as Hash,
    reason: 'a fake',
  }
}
