import type { AgentProfile } from '@attestry/core/model/agentRegistration.ts'
import type { AgentChange, AgentKey, AgentNote } from '@attestry/core/model/agents.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { Address, Hash, Hex } from '@attestry/core/model/hex.ts'
import type { PageRequest, Page, Slice, SliceRequest } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'

/** A filter of agents (model/agents.ts). Null members do not narrow. */
export interface AgentFilter {
  readonly owner: Address | null
  readonly chainId: ChainId | null
  /** Filters by what the registration says. A registration that says nothing passes neither value. */
  readonly active: boolean | null
  readonly hasFeedback: boolean | null
  /** Part of a name or description, folded. */
  readonly folded: string | null
  /** The name of a service of the registration, exactly, such as `MCP`. */
  readonly service: string | null
  /** A skill, a domain or a model of trust of the registration, exactly. */
  readonly capability: string | null
  /** Whether the URI holds the registration. */
  readonly hasFile: boolean | null
  /** The order of rows: by the time of the first event or of the newest version, or by the number of feedback. */
  readonly order: 'registered' | 'updated' | 'feedback'
}

/** The filter that every agent passes, newest registration first. */
export const everyAgent: AgentFilter = {
  owner: null,
  chainId: null,
  active: null,
  hasFeedback: null,
  folded: null,
  service: null,
  capability: null,
  hasFile: null,
  order: 'registered',
}

/** An agent as it is kept. */
export interface StoredAgent {
  readonly key: AgentKey
  readonly owner: Address | null
  readonly wallet: Address | null
  /** At most the first `uriLengthMax` characters, unless `whole` was asked for. */
  readonly uri: string
  /** The event that set the URI. */
  readonly uriTimestamp: number
  readonly uriTransaction: Hash
  readonly uriPosition: number
  readonly profile: AgentProfile
  readonly registeredTimestamp: number
  readonly registeredTransaction: Hash
  readonly updatedTimestamp: number
  /** Events of the registry of identities. */
  readonly versionCount: number
  /** All feedback, revoked or not, and the revoked part. */
  readonly feedbackCount: number
  readonly revokedCount: number
  /** Clients that gave feedback, revoked or not. */
  readonly reviewerCount: number
  readonly responseCount: number
  /** The time of the newest feedback; 0 without any. */
  readonly feedbackTimestamp: number
  /** By the order of the filter; `position` is that of the first event. */
  readonly place: RowPlace
}

/** The newest value of a metadata key of an agent. */
export interface StoredAgentMetadata {
  readonly key: AgentKey
  readonly name: string
  readonly value: Hex
  readonly updatedTimestamp: number
  readonly place: RowPlace
}

export type AgentNoteKind = 'feedbackResponse' | 'validationRequest'

/** Filter of metadata. Null members do not narrow; lists hold up to 1,000 members. */
export interface AgentMetadataFilter {
  readonly chainId: ChainId
  readonly subjects: readonly LocalId[] | null
  readonly names: readonly string[] | null
}

/** A response or a request; `target` is the local id of the feedback, or the hash of the request. */
export interface StoredAgentNote extends AgentNote {
  readonly chainId: ChainId
  readonly kind: AgentNoteKind
  readonly target: LocalId
  readonly position: number
}

/** Filter of notes: all of a chain, those of an agent, or those with one of up to 1,000 targets. */
export interface AgentNoteFilter {
  readonly kind: AgentNoteKind
  readonly chainId: ChainId
  readonly agent: LocalId | null
  readonly targets: readonly LocalId[] | null
}

/** A version of an agent: what one event said, and where the event stands. */
export type StoredAgentChange = AgentChange & { readonly position: number }

/** A URI that an event gave an agent; `place` is that of the event. */
export interface StoredAgentUri {
  readonly uri: string
  /** The account that set it. */
  readonly by: Address
  readonly place: RowPlace
}

/** The reads of agents and what was said of them, by their keys. */
export interface AgentsByKey {
  /** Agents of up to 1,000 keys, in their order; null for each that is not indexed. `whole` reads whole URIs. */
  findAgents(keys: readonly AgentKey[], whole?: boolean): Promise<readonly (StoredAgent | null)[]>
  /** The newest metadata of agents by key, in the order of the events, at most `limit` behind a position. */
  listAgentMetadata(
    filter: AgentMetadataFilter,
    after: number,
    limit: number,
  ): Promise<readonly StoredAgentMetadata[]>
  /** The versions of an agent, newest first. */
  listAgentHistory(key: AgentKey, page: PageRequest): Promise<Page<StoredAgentChange>>
  /** Responses or requests, newest first. */
  listAgentNotes(filter: AgentNoteFilter, page: PageRequest): Promise<Page<StoredAgentNote>>
  /** The numbers of notes with these targets, in their order. */
  countAgentNotes(
    kind: AgentNoteKind,
    chainId: ChainId,
    targets: readonly LocalId[],
  ): Promise<readonly number[]>
}

/** The reads of agents. */
export interface AgentReads extends AgentsByKey {
  /** A page of the agents that pass a filter, newest first; found as pages of off-chain anchors are. */
  listAgents(filter: AgentFilter, page: PageRequest): Promise<Page<StoredAgent>>
  sliceAgents(request: SliceRequest<AgentFilter>): Promise<Slice<StoredAgent>>
  /** The greatest number of an agent of a chain that anything names, as its word; null without any. */
  findGreatestAgent(chainId: ChainId): Promise<LocalId | null>
  /**
   * The URIs that events gave the agents of a chain, oldest first, behind a position, in the next `limit` events. Those of
   * very long events are left out: they hold their file.
   */
  sliceAgentUris(chainId: ChainId, after: number, limit: number): Promise<Slice<StoredAgentUri>>
}

declare module '@attestry/core/index/indexReader.ts' {
  // oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- it is merged
  interface ProjectedReads extends AgentReads {}
  // oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- it is merged
  interface PastProjectedReads extends AgentsByKey {}
}
