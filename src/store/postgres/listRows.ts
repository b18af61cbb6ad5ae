import { listKind, type ListKind } from '../layout/listKinds.ts'

/**
 * Where the entries of a list stand: a table, and the condition on it in terms of `r.owner` and `r.scope`. The chain is one of
 * `r.chains` where a list is over all chains of an index that begins with the owner and the chain.
 */
export interface ListRows {
  readonly from: string
  readonly condition: string
  readonly timestamp: string
  /** The columns of the chain and of the schema. */
  readonly parts: string
}

const everyChain = 'e.chain_id = ANY(r.chains)'

export const listRows: Readonly<Record<ListKind, ListRows>> = {
  [listKind.attestations]: attestations('true'),
  [listKind.attestationsOfSchema]: attestations('e.schema_id = r.owner'),
  [listKind.schemas]: schemas('e.registered'),
  [listKind.schemasOfRegistrant]: schemas('e.registered AND e.registrant_id = r.owner'),
  [listKind.schemasOfResolver]: schemas('e.resolver_id = r.owner AND e.resolver_id <> e.registrant_id'),
  [listKind.created]: attestations(`e.attester_id = r.owner AND ${everyChain}`),
  [listKind.createdOnChain]: attestations('e.attester_id = r.owner AND e.chain_id = r.scope'),
  [listKind.createdUnderSchema]: attestations('e.attester_id = r.owner AND e.schema_id = r.scope'),
  [listKind.receivedOther]: received(`NOT e.is_self AND ${everyChain}`),
  [listKind.receivedOtherOnChain]: received('NOT e.is_self AND e.chain_id = r.scope'),
  [listKind.receivedOtherUnderSchema]: received('NOT e.is_self AND e.schema_id = r.scope'),
  [listKind.receivedSelf]: received(`e.is_self AND ${everyChain}`),
  [listKind.receivedSelfOnChain]: received('e.is_self AND e.chain_id = r.scope'),
  [listKind.receivedSelfUnderSchema]: received('e.is_self AND e.schema_id = r.scope'),
}

function attestations(condition: string): ListRows {
  return {
    from: 'attestation e',
    condition,
    timestamp: 'e.attest_timestamp',
    parts: 'e.chain_id, e.schema_id',
  }
}

function schemas(condition: string): ListRows {
  return { from: 'schema e', condition, timestamp: 'e.register_timestamp', parts: 'e.chain_id, e.id' }
}

function received(condition: string): ListRows {
  return {
    from: 'received e',
    condition: `e.address_id = r.owner AND ${condition}`,
    timestamp: 'e.attest_timestamp',
    parts: 'e.chain_id, e.schema_id',
  }
}
