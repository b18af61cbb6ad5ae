import type { AgentProfile } from './agentRegistration.ts'
import type { ChainId, LocalId } from './compositeId.ts'
import type { ContentPointerText } from './contentTexts.ts'
import type { FieldCondition } from './fieldCondition.ts'
import type { FieldPath } from './fieldValues.ts'
import type { ContentState, KnownContent } from './knownContent.ts'
import type { ProtocolName } from './records.ts'

/** By `sequence`, then by `offset`. */
export interface ArrivalPlace {
  readonly sequence: number
  readonly offset: number
}

export interface ContentArrival {
  readonly place: ArrivalPlace
  readonly record: AttestationName
}

/** An attestation that leads to content; it may not be indexed any more. */
export interface AttestationName {
  readonly chainId: ChainId
  readonly protocol: ProtocolName
  readonly localId: LocalId
}

/** How much JSON is read, in bytes. */
export interface ContentLimits {
  /** Longer JSON is left out. */
  readonly each?: number
  /** After so many bytes, in the order of the keys, JSON is left out. */
  readonly total?: number
}

/** Questions about the content of attestations under one schema, by its composite id, or under any (null). */
export interface ContentReads {
  /**
   * Finds content by the keys of `ContentPointer`, each once; keys that nothing is known of are left out. JSON beyond the
   * limits is not read.
   */
  find(keys: readonly string[], limits?: ContentLimits): Promise<ReadonlyMap<string, KnownContent>>
  /** The bytes of the JSON of content with these keys; keys without JSON are left out. */
  measure(keys: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The profiles of agents from the content with these keys; unknown ones are left out. */
  findProfiles(keys: readonly string[]): Promise<ReadonlyMap<string, AgentProfile>>
  /**
   * Records whose content became known after a place, in the order in which it did. A record whose content changed its
   * state is listed only at the last time.
   */
  listArrivals(after: ArrivalPlace, limit: number): Promise<readonly ContentArrival[]>
  newestArrival(): Promise<ArrivalPlace>
  /** Pointers to content in a state; null: more than `contentPointersMax`. */
  findInState(state: ContentState, schemaId: string | null): Promise<readonly ContentPointerText[] | null>
  /**
   * Pointers to content with a value that fulfils a condition; null: more than `contentPointersMax`.
   * @param fields the fields of the schema at the path of the condition, which say how values are compared; null: those
   * of content itself.
   */
  findFulfilling(
    condition: FieldCondition,
    schemaId: string | null,
    fields: readonly FieldPath[] | null,
  ): Promise<readonly ContentPointerText[] | null>
  /**
   * Pointers to content with values at a path; null: more than `contentPointersMax`.
   * @param fields as those of `findFulfilling`; values are printed as theirs.
   */
  findValues(
    schemaId: string,
    path: readonly string[],
    fields: readonly FieldPath[] | null,
  ): Promise<readonly ContentPointerText[] | null>
  /** Whether any content under a schema has a value at a path. */
  hasPath(schemaId: string, path: readonly string[]): Promise<boolean>
}

/** Most pointers of one answer: they stay in memory while rows are compared with them. */
export const contentPointersMax = 20_000
