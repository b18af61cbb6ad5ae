import type { BlockRef } from '../model/chainState.ts'
import type { ChainId, LocalId } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import type { Address, Hash, Hex } from '../model/hex.ts'
import type { FurtherRegistries } from '../model/indexedContract.ts'
import type { Position } from '../model/position.ts'
import type { ProtocolName, Schema, SchemaDefinition } from '../model/records.ts'
import type { UnixSeconds } from '../model/time.ts'

/**
 * The contract of a protocol with the rest of the program. Adapters are pure: they name the contract reads and turn
 * results into domain events. The caller decides which endpoint makes the reads, when, and how often they are retried.
 * For each log of a deployment's contracts the caller
 * 1. calls `planRead`, and makes the named call at a block where the record exists;
 * 2. calls `decodeLog` with the log and the result.
 *
 * Both functions are total: they return for every log and every result. A log that cannot be decoded becomes an
 * `undecodableLog` event with its reason. The one exception is a result of a stale node: see `DecodeOutcome`.
 */
export interface ProtocolAdapter {
  readonly name: ProtocolName
  /** The name by which people know the protocol. */
  readonly title: string
  /** topic0 of every event that the adapter understands; logs are asked for by these. */
  readonly topics: readonly Hex[]
  /**
   * topic0 of the events whose record has the sender of the transaction as its maker, because the contract names none.
   * The caller fetches these senders whatever the configuration says.
   */
  readonly senderTopics: readonly Hex[]
  readonly payloadForm: PayloadForm
  /** The contracts of a deployment whose logs are indexed. */
  contractsOf(deployment: Deployment): readonly Address[]
  /** The contract read that completes a log; null if the log is complete by itself. */
  planRead(deployment: Deployment, log: ChainLog): ContractRead | null
  /** Decodes a log. `result` is null exactly where `planRead` returned null. */
  decodeLog(
    deployment: Deployment,
    log: ChainLog,
    result: ReadResult | null,
    context: DecodeContext,
  ): DecodeOutcome
  /**
   * The record and event that a log stands for, identified only by its bytes, whatever contract emitted it. Null if the
   * log is no such event or not canonically encoded. Proofs are checked by this function.
   */
  identifyEvent(log: Pick<ChainLog, 'address' | 'topics' | 'data'>): IdentifiedEvent | null
  /**
   * The revocation state in the read of an attestation; null if the result is not an attestation. `attestry verify`
   * compares it with the index.
   */
  readRevocation(result: ReadResult): ReadRevocation | null
  /**
   * The definition of a schema as `decodeLog` gives it, from what the digest of its event covers. Files of others are
   * read by this, since nothing else in them can be held against a digest.
   */
  defineSchema(schema: Schema): SchemaDefinition
  /** Whether an attestation may be revoked without an event that says so: born revoked. */
  readonly mayBeBornRevoked: boolean
  /** The numbering of the contract's records; null if the contract does not number them. */
  readonly counters: RecordCounters | null
}

/** Whether an attestation was revoked at the block that it was read at, and since when, in Unix seconds. */
export interface ReadRevocation {
  readonly revoked: boolean
  readonly timestamp: bigint
}

/**
 * Of a contract that numbers its records one by one. An id holds the number, and may hold more, such as a prefix of the
 * chain.
 */
export interface RecordCounters {
  /** The kinds of records that the contract numbers. */
  readonly kinds: readonly RecordKind[]
  /** The reads that tell which id the next record of a kind will have; none for `searched` records. */
  planNext(deployment: Deployment, what: RecordKind): readonly ContractRead[]
  /** The id of the next record; null if there are no results, or one of them cannot be decoded. */
  decodeNext(results: readonly ReadResult[]): LocalId | null
  numberOf(id: LocalId): bigint
  /** The id with a number that has all else in common with `sibling`. */
  idAt(number: bigint, sibling: LocalId): LocalId
  planRecord(deployment: Deployment, what: RecordKind, id: LocalId): ContractRead
  /**
   * The creation time of the record that was read, in Unix seconds; null if the record does not exist, or cannot be
   * read.
   */
  decodeRecordTime(what: RecordKind, result: ReadResult): number | null
  /** The kind of record that a log creates, judged by its topic, readable or not; null if the log creates none. */
  announces(log: Pick<ChainLog, 'topics'>): RecordKind | null
  /** Of attestations that the contract made without a log; null if each has its log. */
  readonly unannounced: UnannouncedRecords | null
  /** Of records that the contract numbers without saying how many there are or when one was made; null for others. */
  readonly searched: SearchedRecords | null
  /** The numbering of the records about each `subject`; null for a protocol without numbered subjects. */
  readonly subjects: SubjectCounters | null
}

/** Records whose last number is searched. */
export interface SearchedRecords {
  /** The id of the contract's first record. */
  readonly firstId: LocalId
  /** Whether the record that was read exists; null if the contract does not tell. */
  exists(result: ReadResult): boolean | null
  /** The id of the record that a log creates; null if the log creates none or cannot be read. */
  identify(log: Pick<ChainLog, 'address' | 'topics' | 'data'>): LocalId | null
}

/** Of records about subjects, which a contract numbers from 1 on for each subject and account. */
export interface SubjectCounters {
  /** The words for a subject, for the records about it, and for their contract in messages. */
  readonly noun: string
  readonly recordNoun: string
  readonly contractNoun: string
  /** The contract that numbers the records; undefined for a deployment without it. */
  contractOf(deployment: Deployment): Address | undefined
  /** The read of all accounts with records about a subject; null if no contract of the deployment tells. */
  planAccounts(deployment: Deployment, subject: LocalId): ContractRead | null
  decodeAccounts(result: ReadResult): readonly Address[] | null
  /** The read of the number of the newest record; null if no contract of the deployment tells. */
  planLast(deployment: Deployment, subject: LocalId, account: Address): ContractRead | null
  decodeLast(result: ReadResult): bigint | null
}

/** Attestations that a contract made without a log. Each is indexed by the log that the contract left out. */
export interface UnannouncedRecords {
  /** The read that tells whether the contract may still make such attestations. */
  planState(deployment: Deployment): ContractRead
  mayGoOn(state: ReadResult): boolean
  /**
   * The log that the contract left out, in the block of the attestation. No transaction is known: its hash is zero. Its
   * position is one that no log has.
   */
  makeLog(deployment: Deployment, id: LocalId, block: BlockRef): ChainLog
}

/** A `subject` is what attestations are about, where the contract numbers it. */
export type RecordKind = 'schema' | 'attestation' | 'subject'

/** The word for a record of a kind in messages. */
export function nounOf(counters: Pick<RecordCounters, 'subjects'> | null, what: RecordKind): string {
  return what === 'subject' ? (counters?.subjects?.noun ?? what) : what
}

/** The event of a record: its creation or its revocation. */
export interface IdentifiedEvent {
  readonly kind: 'schemaRegistered' | 'attestationMade' | 'attestationRevoked'
  readonly localId: LocalId
}

/**
 * The encoding of an attestation's fields by clients of a protocol. `flat` is `abi.encode` of several values.
 * `wrappedOrFlat` also takes the values in one tuple, which is tried first. The two forms are close: wrapped, an empty
 * `bytes` equals 32 zero bytes flat.
 */
export type PayloadForm = 'flat' | 'wrappedOrFlat'

/** One deployment of a protocol on one chain, as configured or known. */
export interface Deployment extends FurtherRegistries {
  readonly protocol: ProtocolName
  readonly chainId: ChainId
  /** The contract that makes attestations. */
  readonly address: Address
  /** The contract that registers schemas, where it is another one (EAS, Verax). */
  readonly schemaRegistry: Address | null
  /** The first block to read logs from. */
  readonly startBlock: number
}

/** A log as the chain layer delivers it: checked, typed, and with its block's time. */
export interface FetchedLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hash
  readonly blockTimestamp: UnixSeconds
  readonly transactionHash: Hash
}

/** A log of an indexed contract, with its position on the chain. */
export interface ChainLog extends FetchedLog {
  readonly position: Position
}

/** A call to a view function. */
export interface ContractRead {
  readonly to: Address
  readonly data: Hex
  /** Whether a later log that is completed by the same read changes the answer. */
  readonly changes?: true
}

/**
 * The result of a contract read. A revert is a result, not a failure of the endpoint; `data` is its revert data.
 * `codeExists`: the contract has code at the same state, and returned no data: see `isOlderState`.
 */
export type ReadResult =
  | { readonly kind: 'returned'; readonly data: Hex; readonly codeExists?: boolean }
  | { readonly kind: 'reverted'; readonly data: Hex }

export interface DecodeContext {
  /**
   * The time of the newest block known when the record was read. A revocation by event cannot be (much) later, so a
   * record that claims a later time was born revoked.
   */
  readonly headTimestamp: UnixSeconds
  /** The sender of the log's transaction, where the configuration or the adapter asks for it. */
  readonly transactionSender: Address | null
  /** All logs of the same transaction from indexed contracts of the chain, this one among them, ascending. */
  readonly transactionLogs: readonly ChainLog[]
}

/**
 * `staleRead`: the log is fine but the node that answered the read does not know the record yet (Sign answers a zeroed
 * struct); the caller asks again, of another node or later. `otherwise`: the events to take if the answer stays the
 * same, where a node that knows the record may give that answer too.
 */
export type DecodeOutcome =
  | { readonly kind: 'events'; readonly events: readonly DomainEvent[] }
  | { readonly kind: 'staleRead'; readonly reason: string; readonly otherwise?: readonly DomainEvent[] }
