/**
 * The lists that pages and series are taken from, each ordered by timestamp, chain id and position. A list is named by
 * its kind, its owner and its scope. The owner is a schema, an address or a value of a field. The scope is a chain or a
 * schema within the list of an address.
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
  /**
   * Those that an address is the resolver of without having registered them. It has neither a counter nor a rank tree.
   */
  schemasOfResolver: 4,
  created: 10,
  createdOnChain: 11,
  createdUnderSchema: 12,
  receivedOther: 20,
  receivedOtherOnChain: 21,
  receivedOtherUnderSchema: 22,
  receivedSelf: 30,
  receivedSelfOnChain: 31,
  receivedSelfUnderSchema: 32,
  /** Attestations that have a value of a field; the owner is the row of the value. */
  fieldValue: 40,
} as const

export type ListKind = (typeof listKind)[keyof typeof listKind]

/**
 * The ways in which an attestation can stand in an address's lists. They are disjoint, except that a self-attestation
 * is in the first and the last.
 */
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
