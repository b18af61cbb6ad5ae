import type { Address, Hash, Hex } from '@attestry/core/model/hex.ts'
import { feedbackSlot, layoutSlots } from '../layouts.ts'
import type { LayoutName } from '../stateProof.ts'
import { elementsSlot, mapSlot, slotAfter, wordOf } from '../words.ts'
import { packed, putBytes, type MadeStorage } from './madeState.ts'

/** A record as a test puts it into a contract's storage. */
export interface MadeRecord {
  readonly id: Hash
  readonly schema: Hash
  readonly attester: Address
  readonly recipient: Address
  readonly expiresAt?: bigint
  readonly revokedAt?: bigint
  readonly data?: Hex
}

/** Writes records and the counters beside them. The order of members is repeated here on purpose. */
export function putRecord(
  storage: MadeStorage,
  layout: Exclude<LayoutName, 'erc8004'>,
  record: MadeRecord,
): void {
  const { id, schema, attester, recipient, expiresAt = 0n, revokedAt = 0n, data = '0x' as Hex } = record
  const slot = mapSlot(id, layoutSlots[layout].attestations)
  const at = (offset: number) => slotAfter(slot, offset)
  const revoked = revokedAt === 0n ? 0n : 1n
  const abiAddress = `0x${'00'.repeat(12)}${recipient.slice(2)}` as Hex
  if (layout === 'sign-1.1') {
    storage.set(at(0), packed([0, BigInt(schema)], [16, 1_700_000_000n], [24, revokedAt]))
    storage.set(at(1), packed([0, BigInt(attester)], [20, expiresAt], [29, revoked]))
    storage.set(at(2), 1n)
    putBytes(storage, elementsSlot(at(2)), abiAddress)
    putBytes(storage, at(3), data)
    storage.set(layoutSlots[layout].counters, packed([0, 9n], [8, BigInt(id) + 1n], [16, 1n], [24, 1n]))
  } else if (layout === 'sign-1.0') {
    storage.set(at(0), BigInt(schema))
    storage.set(at(3), packed([0, BigInt(attester)], [20, expiresAt], [28, revoked]))
    storage.set(at(4), 1n)
    putBytes(storage, elementsSlot(at(4)), abiAddress)
    putBytes(storage, at(5), data)
    storage.set(layoutSlots[layout].counters, BigInt(id) + 1n)
  } else if (layout === 'verax') {
    storage.set(at(0), BigInt(id))
    storage.set(at(1), BigInt(schema))
    storage.set(at(3), BigInt(attester))
    storage.set(at(5), packed([0, expiresAt], [8, revokedAt], [16, 1n], [18, revoked]))
    putBytes(storage, at(6), abiAddress)
    putBytes(storage, at(7), data)
    storage.set(layoutSlots[layout].counters, packed([0, 0x99n], [20, 1n], [22, BigInt(id) % 2n ** 32n]))
  } else {
    storage.set(at(0), BigInt(id))
    storage.set(at(1), BigInt(schema))
    storage.set(at(2), packed([0, 1_700_000_000n], [8, expiresAt], [16, revokedAt]))
    storage.set(at(4), BigInt(recipient))
    storage.set(at(5), packed([0, BigInt(attester)], [20, 1n]))
    putBytes(storage, at(6), data)
  }
}

/** Feedback of a client for an agent; `index` counts from 1. */
export function putFeedback(
  storage: MadeStorage,
  agentId: string,
  client: Address,
  feedback: readonly { readonly value: bigint; readonly decimals: number; readonly revoked?: boolean }[],
): void {
  storage.set(feedbackSlot('lastIndex', agentId, client), BigInt(feedback.length))
  for (const [place, { value, decimals, revoked = false }] of feedback.entries()) {
    const slot = mapSlot(BigInt(place + 1), feedbackSlot('feedback', agentId, client))
    const word = packed([0, BigInt.asUintN(128, value)], [16, BigInt(decimals)], [17, revoked ? 1n : 0n])
    if (word !== 0n) storage.set(slot, word)
  }
}

/** The clients of an agent. */
export function putClients(storage: MadeStorage, agentId: string, clients: readonly Address[]): void {
  const slot = mapSlot(BigInt(agentId), layoutSlots.erc8004.clients)
  storage.set(slot, BigInt(clients.length))
  for (const [index, client] of clients.entries()) {
    storage.set(slotAfter(elementsSlot(slot), index), BigInt(client))
  }
}

export const someWord = (byte: string): Hash => wordOf(BigInt(`0x${byte.repeat(32)}`))
