import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { SchemaRegistered } from '@attestry/core/model/domainEvent.ts'
import type { RunningDigest } from '@attestry/core/index/indexRestore.ts'
import type { FieldKind } from '@attestry/core/model/fieldValues.ts'
import type { Address, Hex } from '@attestry/core/model/hex.ts'
import type { DataLocation, ProtocolName, SchemaField } from '@attestry/core/model/records.ts'
import type { FieldState } from './fieldState.ts'
import type { AddressRole } from './listKinds.ts'
import type { RowOf } from './tables.ts'

/** A row of the table of chains, with its counters as the running transaction leaves them. */
export interface ChainRow {
  readonly ordinal: number
  readonly chainId: ChainId
  checkpointBlock: number | null
  checkpointTimestamp: number | null
  rewindTo: number | null
  schemaCount: number
  attestationCount: number
  revocationCount: number
  undecodableCount: number
  /** The id of its next row of `field` or `field_value`. */
  nextFieldId: number
  digest: RunningDigest
}

/** A row of the dictionary of addresses. The writers of all chains move its counters, so that none remembers them. */
export interface AddressEntry {
  readonly id: number
  readonly address: Address
  isNew: boolean
  /** The changes of the running transaction to the address's lists; null before the first. */
  changes: AddressChanges | null
}

export interface AddressChanges {
  readonly moves: Readonly<Record<AddressRole, ListMove[]>>
  /** Register timestamps of schemas that came or went. */
  readonly schemaTimestamps: number[]
  /** The counters with these moves; null before they are written. */
  after: AddressCounts | null
}

export interface AddressCounts extends Readonly<Record<AddressRole, number>> {
  readonly schemasCreated: number
}

export interface ListMove {
  readonly timestamp: number
  readonly chainId: ChainId
  readonly schemaId: number
}

/** A row of the schema table with its counters as the running transaction leaves them. */
export interface SchemaEntry {
  readonly id: number
  readonly chainId: ChainId
  readonly protocol: ProtocolName
  readonly localId: LocalId
  isNew: boolean
  registered: boolean
  attestationCount: number
  attesterCount: number
  fieldState: FieldState
  /** The fields by which its payloads are decoded and indexed; null until they are needed. */
  fieldSource: FieldSource | null
  changes: SchemaChanges | null
}

export interface SchemaChanges {
  readonly attestationCountBefore: number
  /** Attest timestamps of attestations that came or went. */
  readonly timestamps: number[]
  /** How many of them each attester made. */
  readonly attesters: Map<AddressEntry, number>
  /** The registration that the running transaction brought, and when it is stored. */
  registration: { readonly event: SchemaRegistered; readonly syncAt: number } | null
}

/** An attestation that comes into the index of fields, or leaves it. */
export interface FieldedAttestation {
  readonly id: bigint
  readonly timestamp: number
  readonly schema: SchemaEntry
  readonly protocol: ProtocolName
  readonly data: Hex
  readonly dataLocation: DataLocation
}

/** The writer's knowledge of a schema whose fields are indexed. */
export interface FieldSource {
  readonly fields: readonly SchemaField[]
  /** How far the index is built; null if every attestation is indexed. */
  readonly build: RowOf<'field_build'> | null
  /** The paths that the writer has met, by text; those of each kind apart. A kind that it has not met has no map. */
  readonly paths: Partial<Record<FieldKind, Map<string, FieldEntry>>>
}

/** A row of `field` as the running transaction leaves it; without an id before it was looked up. */
export interface FieldEntry {
  readonly schemaId: number
  readonly pathText: string
  readonly kind: FieldKind
  id: number | null
  isNew: boolean
  valueCount: number
  /** The attestations of the running transaction that have the field, by value. */
  readonly moves: Map<string, FieldedAttestation[]>
}

/** The list of a value as a transaction moved it. */
export interface MovedFieldValue {
  readonly valueId: number
  /** How many attestations had the value before. */
  readonly before: number
  readonly attestations: readonly FieldedAttestation[]
}
