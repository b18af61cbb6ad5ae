import { listKind, type ListKind } from '../layout/listKinds.ts'
import { perDialect } from '../port/dialect.ts'

/** The rows in which the entries of a list stand. */
export interface ListRows {
  /** The table under the alias `e`. */
  readonly from: string
  /**
   * The condition on the table, from expressions of the list's owner and scope. Each occurs at most once, the owner
   * first, and only if the kind of the list has one.
   */
  condition(owner: string, scope: string): string
  readonly hasOwner: boolean
  readonly hasScope: boolean
  readonly timestamp: string
  /** The column that orders the rows of one chain. */
  readonly order: string
  /** The columns of the chain and of the schema. */
  readonly parts: string
}

/** The rows of each kind of list. */
export const listRows = perDialect((dialect): Readonly<Record<ListKind, ListRows>> => {
  // The index of an address's list begins with the address and the chain: a list of all chains has one range for each
  // chain.
  const everyChain = dialect.among('e.chain_id', 'SELECT chain_id FROM chain')
  const registered = dialect.flag('e.registered', true)

  const attestations = (
    owner: string | null,
    scope: string | null,
    more: string | null = null,
  ): ListRows => ({
    from: 'attestation e',
    ...conditionOf(owner, scope, more),
    timestamp: 'e.attest_timestamp',
    order: 'e.id',
    parts: 'e.chain_id, e.schema_id',
  })
  const schemas = (owner: string | null, more: string): ListRows => ({
    from: 'schema e',
    ...conditionOf(owner, null, more),
    timestamp: 'e.register_timestamp',
    order: 'e.position',
    parts: 'e.chain_id, e.id',
  })
  const received = (isSelf: boolean, scope: 'chain' | 'schema' | null): ListRows => {
    const flag = dialect.flag('e.is_self', isSelf)
    return {
      from: `${dialect.received(scope ?? 'chain')} e`,
      ...conditionOf(
        'e.address_id',
        scope === null ? null : `e.${scope}_id`,
        scope === null ? `${flag} AND ${everyChain}` : flag,
      ),
      timestamp: 'e.attest_timestamp',
      order: 'e.id',
      parts: dialect.receivedParts(scope ?? 'chain', 'e'),
    }
  }

  return {
    [listKind.attestations]: attestations(null, null),
    [listKind.attestationsOfSchema]: attestations('e.schema_id', null),
    [listKind.schemas]: schemas(null, registered),
    [listKind.schemasOfRegistrant]: schemas('e.registrant_id', registered),
    // Only registered schemas have a resolver; a condition on that would read their rows.
    [listKind.schemasOfResolver]: schemas('e.resolver_id', 'e.resolver_id <> e.registrant_id'),
    [listKind.created]: attestations('e.attester_id', null, everyChain),
    [listKind.createdOnChain]: attestations('e.attester_id', 'e.chain_id'),
    [listKind.createdUnderSchema]: attestations('e.attester_id', 'e.schema_id'),
    [listKind.receivedOther]: received(false, null),
    [listKind.receivedOtherOnChain]: received(false, 'chain'),
    [listKind.receivedOtherUnderSchema]: received(false, 'schema'),
    [listKind.receivedSelf]: received(true, null),
    [listKind.receivedSelfOnChain]: received(true, 'chain'),
    [listKind.receivedSelfUnderSchema]: received(true, 'schema'),
    [listKind.fieldValue]: {
      from: 'field_posting e',
      ...conditionOf('e.value_id', null, null),
      timestamp: 'e.attest_timestamp',
      order: 'e.id',
      // The list has no parts.
      parts: '0, 0',
    },
  }
})

/** The condition that columns equal the owner and the scope, and one that depends on neither. */
function conditionOf(
  owner: string | null,
  scope: string | null,
  more: string | null,
): Pick<ListRows, 'condition' | 'hasOwner' | 'hasScope'> {
  return {
    hasOwner: owner !== null,
    hasScope: scope !== null,
    condition: (ownerSql, scopeSql) =>
      [
        owner === null ? null : `${owner} = ${ownerSql}`,
        scope === null ? null : `${scope} = ${scopeSql}`,
        more,
      ]
        .filter((term) => term !== null)
        .join(' AND ') || 'true',
  }
}
