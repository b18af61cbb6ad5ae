import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import { clockDay, clockHour, unixSeconds, type UnixMilliseconds } from '@attestry/core/model/time.ts'
import type {
  AddressChanges,
  AddressEntry,
  ChainRow,
  FieldedAttestation,
  ListMove,
  MovedFieldValue,
  SchemaChanges,
  SchemaEntry,
} from './entries.ts'
import type { AddressRole } from './listKinds.ts'

/**
 * The changes of one transaction to counters, gathered in memory and written once at its end by `writeChanges`.
 * Applying (`sign` 1) and reverting (-1) use the same record of changes, which makes them inverses.
 */
export interface Changes {
  readonly sign: 1 | -1
  /** False if events are only loaded: `building/` makes counters, lists and trees of their rows afterwards. */
  readonly counts: boolean
  readonly chain: ChainRow
  /** The `syncAt` or `lastSyncAt` of what the transaction touches next; a restore moves it from event to event. */
  storedAt: UnixMilliseconds
  readonly addresses: Set<AddressEntry>
  readonly schemas: Set<SchemaEntry>
  readonly attestationTimestamps: number[]
  readonly schemaTimestamps: number[]
  /** Attestations by clock hour and schema. */
  readonly hours: Map<number, Map<number, number>>
  readonly anchors: Map<string, number>
  /** The same by account and kind, of those that name one. */
  readonly accountAnchors: Map<Address, Map<string, number>>
  readonly protocols: Map<string, ProtocolMoves>
  /** Attestations that came or went, with what the index of fields needs of them. */
  readonly fielded: FieldedAttestation[]
  /** Values of fields whose lists the transaction moved. */
  readonly fieldValues: MovedFieldValue[]
  /** Schemas whose effective name must be found anew. */
  readonly renamed: Set<LocalId>
  /** Claims of revocations that the transaction settled, or made pending again. */
  readonly claims: { readonly position: number; readonly isSettled: boolean }[]
  /** Whether any answer may have changed. */
  touched: boolean
}

/** By how much the totals of a protocol on the chain move, with their sign. */
export interface ProtocolMoves {
  schemas: number
  attestations: number
  revocations: number
  /** By UTC day, in days since the epoch. */
  readonly days: Map<number, DayMoves>
}

/** By how much the counts of a day move, with their sign. */
export interface DayMoves {
  schemas: number
  attestations: number
}

export function createChanges(
  sign: 1 | -1,
  chain: ChainRow,
  storedAt: UnixMilliseconds,
  counts = true,
): Changes {
  return {
    sign,
    counts,
    chain,
    storedAt,
    addresses: new Set(),
    schemas: new Set(),
    attestationTimestamps: [],
    schemaTimestamps: [],
    hours: new Map(),
    anchors: new Map(),
    accountAnchors: new Map(),
    protocols: new Map(),
    fielded: [],
    fieldValues: [],
    renamed: new Set(),
    claims: [],
    touched: false,
  }
}

export interface AttestationMove extends FieldedAttestation {
  readonly attester: AddressEntry
  /** Each address once. */
  readonly recipients: readonly AddressEntry[]
}

/** Counts an attestation that came or went. */
export function countAttestation(changes: Changes, attestation: AttestationMove): void {
  const { sign, chain } = changes
  if (!changes.counts) return
  const { protocol, timestamp, schema, attester } = attestation
  const move = { timestamp, chainId: chain.chainId, schemaId: schema.id }
  changes.touched = true
  chain.attestationCount += sign
  const moves = protocolMoves(changes, protocol)
  moves.attestations += sign
  dayMoves(moves, timestamp).attestations += sign
  changes.attestationTimestamps.push(timestamp)
  const { timestamps, attesters } = schemaChanges(changes, schema)
  timestamps.push(timestamp)
  attesters.set(attester, (attesters.get(attester) ?? 0) + 1)
  schema.attestationCount += sign
  countHour(changes, schema.id, timestamp)
  changes.fielded.push(attestation)
  moveInList(changes, attester, 'created', move)
  for (const recipient of attestation.recipients) {
    moveInList(changes, recipient, recipient === attester ? 'receivedSelf' : 'receivedOther', move)
  }
}

/** Counts a schema whose registration came or went. */
export function countSchema(
  changes: Changes,
  protocol: ProtocolName,
  registrant: AddressEntry,
  registerTimestamp: number,
): void {
  if (!changes.counts) return
  changes.touched = true
  const moves = protocolMoves(changes, protocol)
  moves.schemas += changes.sign
  dayMoves(moves, registerTimestamp).schemas += changes.sign
  changes.chain.schemaCount += changes.sign
  changes.schemaTimestamps.push(registerTimestamp)
  addressChanges(changes, registrant).schemaTimestamps.push(registerTimestamp)
}

/** Counts revocations that came (`moved` positive) or went, whichever way the transaction goes. */
export function countRevocation(changes: Changes, protocol: ProtocolName, moved: 1 | -1): void {
  if (!changes.counts) return
  changes.touched = true
  changes.chain.revocationCount += moved
  protocolMoves(changes, protocol).revocations += moved
}

/** Counts an anchor that came or went; `account` is null if nobody is known to have made it. */
export function countAnchor(changes: Changes, kind: string, account: Address | null): void {
  const { anchors, accountAnchors, sign } = changes
  if (!changes.counts) return
  changes.touched = true
  anchors.set(kind, (anchors.get(kind) ?? 0) + sign)
  if (account === null) return
  const kinds = accountAnchors.get(account) ?? new Map<string, number>()
  kinds.set(kind, (kinds.get(kind) ?? 0) + sign)
  accountAnchors.set(account, kinds)
}

/** Makes the entry part of the transaction, so that it is written with it. */
export function schemaChanges(changes: Changes, schema: SchemaEntry): SchemaChanges {
  if (schema.changes === null) {
    changes.schemas.add(schema)
    schema.changes = {
      attestationCountBefore: schema.attestationCount,
      timestamps: [],
      attesters: new Map(),
      registration: null,
    }
  }
  return schema.changes
}

/** Makes the entry part of the transaction, so that it is written with it. */
export function addressChanges(changes: Changes, entry: AddressEntry): AddressChanges {
  if (entry.changes === null) {
    changes.addresses.add(entry)
    entry.changes = {
      moves: { created: [], receivedOther: [], receivedSelf: [] },
      schemaTimestamps: [],
      after: null,
    }
  }
  return entry.changes
}

function protocolMoves(changes: Changes, protocol: ProtocolName): ProtocolMoves {
  let moves = changes.protocols.get(protocol)
  if (moves === undefined) {
    moves = { schemas: 0, attestations: 0, revocations: 0, days: new Map() }
    changes.protocols.set(protocol, moves)
  }
  return moves
}

function dayMoves({ days }: ProtocolMoves, timestamp: number): DayMoves {
  const day = clockDay(unixSeconds(timestamp))
  let moves = days.get(day)
  if (moves === undefined) {
    moves = { schemas: 0, attestations: 0 }
    days.set(day, moves)
  }
  return moves
}

function moveInList(changes: Changes, entry: AddressEntry, role: AddressRole, move: ListMove): void {
  addressChanges(changes, entry).moves[role].push(move)
}

function countHour(changes: Changes, schemaId: number, timestamp: number): void {
  const hour = clockHour(unixSeconds(timestamp))
  let schemas = changes.hours.get(hour)
  if (schemas === undefined) {
    schemas = new Map()
    changes.hours.set(hour, schemas)
  }
  schemas.set(schemaId, (schemas.get(schemaId) ?? 0) + changes.sign)
}
