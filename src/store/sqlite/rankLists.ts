/**
 * The lists that pages are taken from, each ordered by timestamp, chain id and position. A list is named by its kind, its
 * owner (a schema or an address) and its scope (a chain or a schema within the list of an address).
 */
export interface RankList {
  readonly kind: ListKind
  readonly ownerId: number
  readonly scopeId: number
}

/** Numbers are stored: never change one. */
export const listKind = {
  attestations: 0,
  attestationsOfSchema: 1,
  schemas: 2,
  schemasOfRegistrant: 3,
  created: 10,
  createdOnChain: 11,
  createdUnderSchema: 12,
  receivedOther: 20,
  receivedOtherOnChain: 21,
  receivedOtherUnderSchema: 22,
  receivedSelf: 30,
  receivedSelfOnChain: 31,
  receivedSelfUnderSchema: 32,
} as const

export type ListKind = (typeof listKind)[keyof typeof listKind]

/** How an attestation can stand in an address's lists; the three are disjoint but for a self-attestation's first and last. */
export const addressRoles = ['created', 'receivedOther', 'receivedSelf'] as const
export type AddressRole = (typeof addressRoles)[number]

/** The kinds of an address's lists in one role: all of it, its part on a chain, its part under a schema. */
export const kindsOfRole: Readonly<
  Record<AddressRole, { readonly all: ListKind; readonly onChain: ListKind; readonly underSchema: ListKind }>
> = {
  created: {
    all: listKind.created,
    onChain: listKind.createdOnChain,
    underSchema: listKind.createdUnderSchema,
  },
  receivedOther: {
    all: listKind.receivedOther,
    onChain: listKind.receivedOtherOnChain,
    underSchema: listKind.receivedOtherUnderSchema,
  },
  receivedSelf: {
    all: listKind.receivedSelf,
    onChain: listKind.receivedSelfOnChain,
    underSchema: listKind.receivedSelfUnderSchema,
  },
}

/**
 * Where a list's entries stand: `FROM … WHERE …` with the owner as parameter 1 and the scope as parameter 2, and the
 * column of the timestamp, on which a range may follow.
 */
export interface ListWalk {
  readonly from: string
  readonly timestamp: string
}

/** Lists of an address over all chains have one index range a chain, hence `chain_id IN`. */
const everyChain = 'chain_id IN (SELECT chain_id FROM chain)'

export const listWalks: Readonly<Record<ListKind, ListWalk>> = {
  [listKind.attestations]: attestationWalk('?1 = 0 AND ?2 = 0'),
  [listKind.attestationsOfSchema]: attestationWalk('schema_id = ?1 AND ?2 = 0'),
  [listKind.schemas]: schemaWalk('?1 = 0 AND ?2 = 0'),
  [listKind.schemasOfRegistrant]: schemaWalk('registrant_id = ?1 AND ?2 = 0'),
  [listKind.created]: attestationWalk(`attester_id = ?1 AND ?2 = 0 AND ${everyChain}`),
  [listKind.createdOnChain]: attestationWalk('attester_id = ?1 AND chain_id = ?2'),
  [listKind.createdUnderSchema]: attestationWalk('attester_id = ?1 AND schema_id = ?2'),
  [listKind.receivedOther]: receivedWalk('chain', `is_self = 0 AND ?2 = 0 AND ${everyChain}`),
  [listKind.receivedOtherOnChain]: receivedWalk('chain', 'is_self = 0 AND chain_id = ?2'),
  [listKind.receivedOtherUnderSchema]: receivedWalk('schema', 'is_self = 0 AND schema_id = ?2'),
  [listKind.receivedSelf]: receivedWalk('chain', `is_self = 1 AND ?2 = 0 AND ${everyChain}`),
  [listKind.receivedSelfOnChain]: receivedWalk('chain', 'is_self = 1 AND chain_id = ?2'),
  [listKind.receivedSelfUnderSchema]: receivedWalk('schema', 'is_self = 1 AND schema_id = ?2'),
}

function attestationWalk(condition: string): ListWalk {
  return { from: `FROM attestation WHERE ${condition}`, timestamp: 'attest_timestamp' }
}

function schemaWalk(condition: string): ListWalk {
  return { from: `FROM schema WHERE registered = 1 AND ${condition}`, timestamp: 'register_timestamp' }
}

function receivedWalk(by: 'chain' | 'schema', condition: string): ListWalk {
  return {
    from: `FROM received_by_${by} WHERE address_id = ?1 AND ${condition}`,
    timestamp: 'attest_timestamp',
  }
}
