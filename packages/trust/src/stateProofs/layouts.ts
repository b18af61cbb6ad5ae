import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { noBytes, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { hashBytes } from '../proofs/hashBytes.ts'
import { Unfit, type State } from './state.ts'
import type { FeedbackKey, LayoutName, RecordSays, StateTime } from './stateProof.ts'
import {
  addressOf,
  elementsSlot,
  isZeroWord,
  keyWord,
  mapSlot,
  memberOf,
  namespaceSlot,
  slotAfter,
  wordOf,
} from './words.ts'

/** The protocol of each layout. */
export const layoutProtocols: Readonly<Record<LayoutName, string>> = {
  'eas-0.26': 'eas',
  'eas-1.2': 'eas',
  'eas-predeploy': 'eas',
  'sign-1.1': 'sign',
  'sign-1.0': 'sign',
  verax: 'verax',
  erc8004: 'erc8004',
}

const signBase = namespaceSlot('ethsign.SP')
// The sources name another namespace in their comment; the constant is that of this name.
const reputationBase = namespaceSlot('erc8004.reputation.registry.2')

/** The slots of the variables that hold records and counters. */
export const layoutSlots = {
  'eas-0.26': easSlots(1),
  'eas-1.2': easSlots(4),
  'eas-predeploy': easSlots(50),
  'sign-1.1': { attestations: slotAfter(signBase, 2), counters: slotAfter(signBase, 4) },
  'sign-1.0': { attestations: slotAfter(signBase, 1), counters: slotAfter(signBase, 4) },
  verax: { attestations: wordOf(102n), counters: wordOf(101n) },
  erc8004: {
    feedback: reputationBase,
    lastIndex: slotAfter(reputationBase, 1),
    clients: slotAfter(reputationBase, 5),
  },
} as const satisfies Readonly<Record<LayoutName, Readonly<Record<string, Hash>>>>

function easSlots(first: number) {
  return {
    attestations: wordOf(BigInt(first)),
    timestamps: wordOf(BigInt(first + 1)),
    offchainRevocations: wordOf(BigInt(first + 2)),
  }
}

/** A record of a contract. */
export interface RecordPlace {
  readonly contract: Address
  readonly layout: LayoutName
  readonly localId: LocalId | Hash
  readonly feedback?: FeedbackKey
}

/** Guesses of a prover, so that it asks for all words at once. */
export interface RecordHints {
  readonly dataBytes?: number
  readonly recipients?: number
}

/**
 * Reads a record from the storage.
 * @throws Unfit if the layout is not that of the contract, or the contract has no such record.
 */
export function readRecord(state: State, place: RecordPlace, hints: RecordHints = {}): RecordSays {
  switch (place.layout) {
    case 'eas-0.26':
    case 'eas-1.2':
    case 'eas-predeploy':
      return readEas(state, place, hints)
    case 'sign-1.1':
      return readSign(state, place, hints)
    case 'sign-1.0':
      return readOldSign(state, place, hints)
    case 'verax':
      return readVerax(state, place, hints)
    case 'erc8004':
      return readFeedback(state, place)
  }
}

/** The slot of a record whose first word is its own id. */
export function recordSlot(layout: Exclude<LayoutName, 'erc8004'>, localId: LocalId | Hash): Hash {
  return mapSlot(localId, layoutSlots[layout].attestations)
}

/**
 * Checks that a record stands where the layout puts it.
 * @throws Unfit
 */
export function checkWitness(state: State, { contract, layout, localId }: RecordPlace): void {
  if (layout === 'erc8004') throw new Unfit('a record of ERC-8004 does not show its layout')
  const slot = recordSlot(layout, localId)
  const [id = slot] = state.words(contract, [slot])
  if (id !== localId) throw notTheId(layout, localId)
}

function readEas(state: State, { contract, layout, localId }: RecordPlace, hints: RecordHints): RecordSays {
  const slot = mapSlot(localId, layoutSlots[layout as 'eas-1.2'].attestations)
  expectBytes(state, contract, slotAfter(slot, 6), hints.dataBytes)
  const [id, schema, times, recipient, attester, data] = readWords(state, contract, slot, [0, 1, 2, 4, 5, 6])
  if (id !== localId) throw notTheId(layout, localId)
  const revokedAt = memberOf(times, 16, 8)
  return {
    exists: true,
    revoked: revokedAt !== 0n,
    revokedAt: timeOf(revokedAt),
    expiresAt: timeOf(memberOf(times, 8, 8)),
    dataHash: hashOfBytes(readBytes(state, contract, slotAfter(slot, 6), data, payloadBytesMax)),
    schemaId: schema,
    attester: addressOf(attester),
    recipients: [addressOf(recipient)],
  }
}

function readSign(state: State, { contract, localId }: RecordPlace, hints: RecordHints): RecordSays {
  const { attestations, counters } = layoutSlots['sign-1.1']
  const slot = mapSlot(localId, attestations)
  expectRecipients(state, contract, slotAfter(slot, 2), hints.recipients)
  expectBytes(state, contract, slotAfter(slot, 3), hints.dataBytes)
  state.expect(contract, [counters])
  const [times, who, recipients, data] = readWords(state, contract, slot, [0, 1, 2, 3])
  const [counter = slot] = state.words(contract, [counters])
  const attester = addressOf(who)
  if (
    BigInt(attester) === 0n ||
    memberOf(times, 16, 8) === 0n ||
    BigInt(localId) >= memberOf(counter, 8, 8)
  ) {
    throw noRecord('sign-1.1', localId)
  }
  const revoked = memberOf(who, 29, 1) !== 0n
  return {
    exists: true,
    revoked,
    revokedAt: revoked ? timeOf(memberOf(times, 24, 8)) : null,
    expiresAt: timeOf(memberOf(who, 20, 8)),
    dataHash: hashOfBytes(readBytes(state, contract, slotAfter(slot, 3), data, payloadBytesMax)),
    schemaId: numberId(memberOf(times, 0, 8)),
    attester,
    recipients: readRecipients(state, contract, slotAfter(slot, 2), recipients),
  }
}

/** The contract keeps no times. */
function readOldSign(state: State, { contract, localId }: RecordPlace, hints: RecordHints): RecordSays {
  const { attestations, counters } = layoutSlots['sign-1.0']
  const slot = mapSlot(localId, attestations)
  expectRecipients(state, contract, slotAfter(slot, 4), hints.recipients)
  expectBytes(state, contract, slotAfter(slot, 5), hints.dataBytes)
  state.expect(contract, [counters])
  const [schema, who, recipients, data] = readWords(state, contract, slot, [0, 3, 4, 5])
  const [counter = slot] = state.words(contract, [counters])
  const attester = addressOf(who)
  if (
    BigInt(attester) === 0n ||
    BigInt(localId) >= BigInt(counter) ||
    !isUint64(counter) ||
    !isUint64(schema)
  ) {
    throw noRecord('sign-1.0', localId)
  }
  return {
    exists: true,
    revoked: memberOf(who, 28, 1) !== 0n,
    revokedAt: null,
    expiresAt: timeOf(memberOf(who, 20, 8)),
    dataHash: hashOfBytes(readBytes(state, contract, slotAfter(slot, 5), data, payloadBytesMax)),
    schemaId: numberId(BigInt(schema)),
    attester,
    recipients: readRecipients(state, contract, slotAfter(slot, 4), recipients),
  }
}

function readVerax(state: State, { contract, localId }: RecordPlace, hints: RecordHints): RecordSays {
  const slot = mapSlot(localId, layoutSlots.verax.attestations)
  expectBytes(state, contract, slotAfter(slot, 6), 32)
  expectBytes(state, contract, slotAfter(slot, 7), hints.dataBytes)
  const [id, schema, attester, times, subject, data] = readWords(state, contract, slot, [0, 1, 3, 5, 6, 7])
  if (id !== localId) throw notTheId('verax', localId)
  const bytes = readBytes(state, contract, slotAfter(slot, 6), subject, recipientBytesMax)
  return {
    exists: true,
    revoked: memberOf(times, 18, 1) !== 0n,
    revokedAt: timeOf(memberOf(times, 8, 8)),
    expiresAt: timeOf(memberOf(times, 0, 8)),
    dataHash: hashOfBytes(readBytes(state, contract, slotAfter(slot, 7), data, payloadBytesMax)),
    schemaId: schema,
    attester: addressOf(attester),
    recipients: bytes === null ? null : [recipientOf(bytes)],
  }
}

function readFeedback(state: State, { contract, localId, feedback }: RecordPlace): RecordSays {
  if (feedback === undefined || feedbackId(feedback) !== localId) {
    throw new Unfit(`the record ${localId} is not the feedback that the claim names`)
  }
  const { agentId, client, index } = feedback
  const lastSlot = feedbackSlot('lastIndex', agentId, client)
  const slot = mapSlot(BigInt(index), feedbackSlot('feedback', agentId, client))
  const [last = slot, word = slot] = state.words(contract, [lastSlot, slot])
  if (BigInt(index) === 0n || BigInt(index) > BigInt(last)) throw noRecord('erc8004', localId)
  return {
    exists: true,
    revoked: memberOf(word, 17, 1) !== 0n,
    revokedAt: null,
    expiresAt: null,
    dataHash: null,
    schemaId: null,
    attester: client,
    recipients: null,
  }
}

/** The local id of feedback. */
export function feedbackId({ agentId, client, index }: FeedbackKey): Hash {
  const words = [keyWord(BigInt(agentId)), keyWord(client), keyWord(BigInt(index))]
  return hashBytes(`0x${words.map((word) => word.slice(2)).join('')}` as Hex)
}

/** A slot of the reputation of an agent with a client; of `feedback`, that of a further mapping by index. */
export function feedbackSlot(of: 'feedback' | 'lastIndex', agentId: string, client: Address): Hash {
  return mapSlot(client, mapSlot(BigInt(agentId), layoutSlots.erc8004[of]))
}

/** A number of a contract as the local id of a record. */
export function numberId(value: bigint): string {
  return `0x${value.toString(16)}`
}

/** A time of a contract, for which 0 means never. */
export function timeOf(seconds: bigint): StateTime | null {
  if (seconds === 0n) return null
  const value = Number(seconds)
  return Number.isSafeInteger(value) ? value : seconds.toString()
}

/** Bytes of a payload, and of a recipient, up to which their words are proven. */
export const payloadBytesMax = 24_576
const recipientBytesMax = 128
const recipientsMax = 16

type Words<Offsets extends readonly number[]> = { readonly [Index in keyof Offsets]: Hash }

function readWords<const Offsets extends readonly number[]>(
  state: State,
  contract: Address,
  slot: Hash,
  offsets: Offsets,
): Words<Offsets> {
  // One word for each slot.
  return state.words(
    contract,
    offsets.map((offset) => slotAfter(slot, offset)),
  ) as unknown as Words<Offsets>
}

/** The length of a byte string by the word in its slot; null if the word is not one that the compiler writes. */
function lengthOf(word: Hash): { readonly length: bigint; readonly isShort: boolean } | null {
  const low = memberOf(word, 0, 1)
  if (low % 2n === 1n) {
    const length = (BigInt(word) - 1n) / 2n
    return length > 31n ? { length, isShort: false } : null
  }
  return low / 2n <= 31n ? { length: low / 2n, isShort: true } : null
}

/** A byte string; null above `bytesMax`. */
function readBytes(state: State, contract: Address, slot: Hash, word: Hash, bytesMax: number): Hex | null {
  const known = lengthOf(word)
  if (known === null) throw new Unfit(`the word at ${slot} is not the length of a byte string`)
  if (known.length > BigInt(bytesMax)) return null
  const digits = 2 * Number(known.length)
  if (known.isShort) return `0x${word.slice(2, 2 + digits)}` as Hex
  const words = state.words(contract, bytesSlots(slot, Number(known.length)))
  const text = words.map((each) => each.slice(2)).join('')
  return `0x${text.slice(0, digits)}` as Hex
}

function bytesSlots(slot: Hash, bytes: number): readonly Hash[] {
  const first = elementsSlot(slot)
  return Array.from({ length: bytes > 31 ? Math.ceil(bytes / 32) : 0 }, (_, index) => slotAfter(first, index))
}

function expectBytes(state: State, contract: Address, slot: Hash, bytes: number | undefined): void {
  if (bytes !== undefined && bytes <= payloadBytesMax) state.expect(contract, bytesSlots(slot, bytes))
}

function hashOfBytes(bytes: Hex | null): Hash | null {
  return bytes === null ? null : hashBytes(bytes)
}

function readRecipients(state: State, contract: Address, slot: Hash, length: Hash): readonly string[] | null {
  if (BigInt(length) > BigInt(recipientsMax)) return null
  const slots = elementSlots(slot, Number(length))
  const words = state.words(contract, slots)
  const recipients = slots.map((each, index) =>
    readBytes(state, contract, each, words[index] ?? each, recipientBytesMax),
  )
  return recipients.every((each) => each !== null) ? recipients.map(recipientOf) : null
}

/** Recipients are mostly addresses in the ABI's encoding. */
function expectRecipients(state: State, contract: Address, slot: Hash, count: number | undefined): void {
  if (count === undefined || count > recipientsMax) return
  const slots = elementSlots(slot, count)
  state.expect(contract, [...slots, ...slots.flatMap((each) => bytesSlots(each, 32))])
}

export function elementSlots(slot: Hash, count: number): readonly Hash[] {
  const first = elementsSlot(slot)
  return Array.from({ length: count }, (_, index) => slotAfter(first, index))
}

/** An address of 20 bytes, or of 32 in the ABI's encoding; any other bytes as they are. */
function recipientOf(bytes: Hex): string {
  if (bytes.length === 66 && bytes.startsWith(`0x${'00'.repeat(12)}`)) return `0x${bytes.slice(26)}`
  return bytes === noBytes ? '' : bytes
}

function isUint64(word: Hash): boolean {
  return !isZeroWord(word) && BigInt(word) < 2n ** 64n
}

function notTheId(layout: LayoutName, localId: string): Unfit {
  return new Unfit(`the word where the layout ${layout} has the id of the record ${localId} is another one`)
}

function noRecord(layout: LayoutName, localId: string): Unfit {
  return new Unfit(`the layout ${layout} has no record ${localId} in this contract`)
}
