/**
 * The records that a simulated chain really holds, in the terms of the protocols, not of this program. The expected
 * index is built from them. Other code builds from them the logs and contract reads that the program sees. Addresses
 * are 40 digits without `0x`, payloads digits without `0x`.
 */

interface TrueEventBase {
  readonly block: number
  readonly logIndex: number
  readonly transactionIndex: number
  readonly transactionHash: string
  readonly timestamp: number
}

export type TrueEvent = TrueEventBase &
  (
    | { readonly kind: 'signSchema'; readonly id: number; readonly record: TrueSignSchema }
    | { readonly kind: 'signAttestation'; readonly id: number; readonly record: TrueSignAttestation }
    | {
        readonly kind: 'signRevocation'
        readonly id: number
        readonly reason: string
      }
    | { readonly kind: 'easSchema'; readonly record: TrueEasSchema }
    | { readonly kind: 'easAttestation'; readonly record: TrueEasAttestation }
    | { readonly kind: 'easRevocation'; readonly record: TrueEasAttestation }
    | { readonly kind: 'veraxSchema'; readonly record: TrueVeraxSchema }
    | { readonly kind: 'veraxAttestation'; readonly record: TrueVeraxAttestation }
    /** `replacedBy`: the id of the record that takes its place; null if none does. */
    | { readonly kind: 'veraxRevocation'; readonly id: string; readonly replacedBy: string | null }
    /** The log that names both records of a replacement, and is no event of its own. */
    | { readonly kind: 'veraxReplaced'; readonly id: string; readonly replacedBy: string }
    /** A record that the registry made without a log. */
    | { readonly kind: 'veraxImport'; readonly number: number; readonly record: TrueVeraxAttestation }
    | { readonly kind: 'veraxPortal'; readonly record: TrueVeraxPortal }
    /** The log of a new context names only the schema. */
    | { readonly kind: 'veraxPortalRevoked'; readonly portal: string }
    | { readonly kind: 'veraxContext'; readonly schemaId: string; readonly context: string }
    | { readonly kind: 'anchor'; readonly anchor: TrueAnchor }
    | { readonly kind: 'agent'; readonly log: TrueAgentLog }
    /** A log with a topic of ours that nothing can read. */
    | { readonly kind: 'malformed'; readonly protocol: 'sign' | 'eas'; readonly noise: string }
  )

/** Whether a contract emitted a log for an event. */
export function isLogged({ kind }: TrueEvent): boolean {
  return kind !== 'veraxImport'
}

/** A log of a registry of ERC-8004, which says everything. */
export interface TrueAgentLog {
  readonly registry: 'identities' | 'reputation' | 'validations'
  readonly topics: readonly string[]
  readonly data: string
}

export type TrueAnchor =
  | { readonly name: 'OffchainAttestationMade'; readonly id: string }
  | { readonly name: 'OffchainAttestationRevoked'; readonly id: string; readonly reason: string }
  | { readonly name: 'Timestamped'; readonly data: string }
  | { readonly name: 'RevokedOffchain'; readonly account: string; readonly data: string }

export interface TrueField {
  readonly name: string
  readonly type: string
}

export interface TrueSignSchema {
  readonly registrant: string
  readonly revocable: boolean
  readonly dataLocation: number
  readonly maxValidFor: bigint
  readonly hook: string
  readonly text: string
  /** The definition that the text stands for, as its author meant it. */
  readonly name: string
  readonly description: string
  readonly fields: readonly TrueField[]
}

export interface TrueRecipient {
  /** As it stands on chain. */
  readonly digits: string
  readonly kind: 'address' | 'text' | 'bytes'
  /** Address digits, the text, or the raw digits. */
  readonly value: string
}

export interface TrueSignAttestation {
  readonly schemaId: number
  /** 0: none. */
  readonly linkedId: number
  readonly attester: string
  readonly validUntil: bigint
  readonly dataLocation: number
  readonly indexingKey: string
  readonly recipients: readonly TrueRecipient[]
  readonly data: string
  /** The revocation time that a record was made with, revoked from birth (the contract allowed that up to 1.1.2). */
  readonly bornRevokedAt: number | null
  /** Reading it reverts: the record is kept by an older contract. */
  readonly unreadable: boolean
}

export interface TrueEasSchema {
  /** `0x` and 64 digits. */
  readonly uid: string
  readonly registerer: string
  readonly resolver: string
  readonly revocable: boolean
  readonly text: string
  readonly fields: readonly TrueField[]
}

export interface TrueVeraxSchema {
  /** `0x` and 64 digits. A schema of EAS may have the same. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly context: string
  readonly text: string
  readonly fields: readonly TrueField[]
}

export interface TrueVeraxPortal {
  readonly portal: string
  readonly name: string
  readonly description: string
  readonly owner: string
  readonly ownerName: string
  readonly isRevocable: boolean
  readonly modules: readonly string[]
}

export interface TrueVeraxAttestation {
  /** `0x` and 64 digits: the prefix of the chain and the number of the record. */
  readonly id: string
  readonly schemaId: string
  /** The id of the record in whose place this one was made; null: none. */
  readonly replaces: string | null
  readonly attester: string
  readonly portal: string
  readonly expirationDate: bigint
  /** null: no bytes. */
  readonly subject: TrueRecipient | null
  readonly data: string
}

export interface TrueEasAttestation {
  readonly uid: string
  readonly schemaUid: string
  /** null: none. */
  readonly refUid: string | null
  readonly attester: string
  /** null: none. */
  readonly recipient: string | null
  readonly expirationTime: bigint
  readonly revocable: boolean
  readonly data: string
  /** The schema that it gives a name, where it does. */
  readonly names: { readonly schemaUid: string; readonly name: string } | null
}
