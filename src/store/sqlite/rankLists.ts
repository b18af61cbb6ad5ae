import { listKind, type ListKind } from '../layout/listKinds.ts'

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
  // Only registered schemas have a resolver; to ask for that as well would mean to read their rows.
  [listKind.schemasOfResolver]: {
    from: 'FROM schema WHERE resolver_id = ?1 AND resolver_id <> registrant_id AND ?2 = 0',
    timestamp: 'register_timestamp',
  },
  [listKind.created]: attestationWalk(`attester_id = ?1 AND ?2 = 0 AND ${everyChain}`),
  [listKind.createdOnChain]: attestationWalk('attester_id = ?1 AND chain_id = ?2'),
  [listKind.createdUnderSchema]: attestationWalk('attester_id = ?1 AND schema_id = ?2'),
  [listKind.receivedOther]: receivedWalk('chain', `is_self = 0 AND ?2 = 0 AND ${everyChain}`),
  [listKind.receivedOtherOnChain]: receivedWalk('chain', 'is_self = 0 AND chain_id = ?2'),
  [listKind.receivedOtherUnderSchema]: receivedWalk('schema', 'is_self = 0 AND schema_id = ?2'),
  [listKind.receivedSelf]: receivedWalk('chain', `is_self = 1 AND ?2 = 0 AND ${everyChain}`),
  [listKind.receivedSelfOnChain]: receivedWalk('chain', 'is_self = 1 AND chain_id = ?2'),
  [listKind.receivedSelfUnderSchema]: receivedWalk('schema', 'is_self = 1 AND schema_id = ?2'),
  [listKind.fieldValue]: {
    from: 'FROM field_posting WHERE value_id = ?1 AND ?2 = 0',
    timestamp: 'attest_timestamp',
  },
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
