import type { LocalId } from './compositeId.ts'
import type { Address, Hash, Hex } from './hex.ts'
import type { Position } from './position.ts'
import type { Attestation, ProtocolName, Schema } from './records.ts'
import type { UnixSeconds } from './time.ts'

/** The meaning of a log for the index. Protocols make domain events; the store applies and reverts them. */
export type DomainEvent =
  | SchemaRegistered
  | AttestationMade
  | AttestationRevoked
  | SchemaNamed
  | AnchorMade
  | MetadataSet
  | UndecodableLog

/**
 * Whether an event has the position of the one before it. Only two kinds of events share a position:
 * - a schema's name, after the attestation that gives it;
 * - a log's metadata of the first agent, after the schema that the log stands for.
 */
export function standsBeside(event: DomainEvent, previous: DomainEvent | undefined): boolean {
  if (previous?.position !== event.position) return false
  return event.kind === 'schemaNamed'
    ? previous.kind === 'attestationMade'
    : event.kind === 'metadataSet' && event.of === 'agent' && previous.kind === 'schemaRegistered'
}

export interface SchemaRegistered {
  readonly kind: 'schemaRegistered'
  readonly position: Position
  readonly schema: Schema
}

export interface AttestationMade {
  readonly kind: 'attestationMade'
  readonly position: Position
  readonly attestation: Attestation
}

/** A revocation. `timestamp` is its block's time; `reason` is empty if the protocol has none. */
export interface AttestationRevoked {
  readonly kind: 'attestationRevoked'
  readonly position: Position
  readonly protocol: ProtocolName
  readonly localId: LocalId
  readonly reason: string
  readonly timestamp: UnixSeconds
  readonly transactionHash: Hash
}

/**
 * The attestation at the same position names a schema `name` (EAS "Name a Schema"). The name counts while that
 * attestation is unrevoked and its attester is the schema's registrant; the newest name that counts is the schema's.
 */
export interface SchemaNamed {
  readonly kind: 'schemaNamed'
  readonly position: Position
  readonly schemaLocalId: LocalId
  readonly name: string
}

/** An off-chain anchor (`OffchainAttestationMade`, `Timestamped`, …): a value that a contract noted, and no record. */
export interface AnchorMade {
  readonly kind: 'anchorMade'
  readonly position: Position
  readonly protocol: ProtocolName
  /** The event's name in its contract. */
  readonly anchor: string
  /** The account that the event names, or else the protocol's substitute; null if unknown. */
  readonly account: Address | null
  /** The value that the event names: a hash of EAS in lower case, or an id of Sign Protocol, which is any text. */
  readonly value: string
  /** The time of its block. */
  readonly timestamp: UnixSeconds
  readonly transactionHash: Hash
  /** Empty if the event has none. */
  readonly reason: string
}

/**
 * A contract says something of a subject that is no record, or of a record beside what it was made with. The newest
 * body for a subject counts.
 */
export interface MetadataSet {
  readonly kind: 'metadataSet'
  readonly position: Position
  readonly protocol: ProtocolName
  readonly of: MetadataKind
  /** The local id of a schema, the address of a portal or module, or a word as `agents.ts` says. */
  readonly subject: LocalId | Address
  readonly body: string
}

/**
 * `schemaContext`: the body is the present context of a schema. `portal`: the body is JSON of a portal's `name`,
 * `description`, `owner` (an address), `ownerName`, `isRevocable` and `modules` (addresses); what is unknown is null, an
 * unknown `ownerName` empty. `module`: JSON of a module's `name` and `description`. Both have the `registration`: its
 * `blockNumber`, `timestamp` and `transactionHash`. These are of Verax. `agents.ts` describes the other kinds, which
 * their logs tell whole.
 */
export type MetadataKind = (typeof metadataKinds)[number]

export const metadataKinds = [
  'schemaContext',
  'portal',
  'module',
  'agent',
  'feedbackResponse',
  'validationRequest',
] as const

/** Whether the log of a `MetadataSet` tells its whole body; the body of the other kinds is read from a contract. */
export function isToldWhole(of: MetadataKind): boolean {
  return of === 'agent' || of === 'feedbackResponse' || of === 'validationRequest'
}

/**
 * A log of an indexed contract that cannot be decoded. It is stored whole with the reason, and does not stop the chain.
 */
export interface UndecodableLog {
  readonly kind: 'undecodableLog'
  readonly position: Position
  readonly protocol: ProtocolName
  readonly contract: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly transactionHash: Hash
  readonly reason: string
}
