import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import type { AddressRole } from '../layout/listKinds.ts'
import { perDialect, type Dialect } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import type { WalkArm } from './rowWalk.ts'
import { allOf, noTerm, term } from './sqlTerms.ts'

/**
 * The ranges of indexes over attestations that a filter can be walked by. Each is in the order of listings, and what it
 * does not fix itself is left to conditions on its rows.
 */

type AttestationIndex =
  | 'attestation_by_time'
  | RevokedList
  | 'attestation_by_attester_schema'
  | 'attestation_by_linked'
  | 'attestation_by_portal'
  | 'attestation_revoked'
  | 'attestation_other_recipients'

/** The indexes beside which another one has only the revoked attestations. */
type RevokedList = 'attestation_by_chain' | 'attestation_by_schema' | 'attestation_by_attester'

export const everyArm = perDialect((dialect) => rowArm(dialect, 'attestation_by_time', '', [], null))

export function revokedArm(dialect: Dialect): WalkArm {
  return rowArm(dialect, 'attestation_revoked', 'a.revoke_timestamp IS NOT NULL', [], null)
}

export function chainArm(dialect: Dialect, chainId: ChainId, revoked: SqlText | null): WalkArm {
  return listArm(dialect, 'attestation_by_chain', term('a.chain_id = ?', chainId), chainId, revoked)
}

export function schemaArm(
  dialect: Dialect,
  schemaId: number,
  chainId: ChainId,
  revoked: SqlText | null,
): WalkArm {
  return listArm(dialect, 'attestation_by_schema', term('a.schema_id = ?', schemaId), chainId, revoked)
}

/** The attestations that an address made on a chain. */
export function attesterArm(
  dialect: Dialect,
  addressId: number,
  chainId: ChainId,
  revoked: SqlText | null,
): WalkArm {
  const condition = term('a.attester_id = ? AND a.chain_id = ?', addressId, chainId)
  return listArm(dialect, 'attestation_by_attester', condition, chainId, revoked)
}

/**
 * A list on one chain: all attestations, or the revoked ones by an index of their own.
 * @param revoked the condition that an attestation is revoked, and others on columns of that index; null: all.
 */
function listArm(
  dialect: Dialect,
  index: RevokedList,
  condition: SqlText,
  chainId: ChainId,
  revoked: SqlText | null,
): WalkArm {
  const arm = rowArm(dialect, index, condition.sql, condition.parameters, chainId)
  if (revoked === null) return arm
  return {
    ...arm,
    from: dialect.walked('attestation', 'a', index.replace('_by_', '_revoked_by_')),
    condition: allOf([condition, revoked]),
  }
}

export function linkedArm(dialect: Dialect, { chainId, localId, protocol }: StoredKey): WalkArm {
  const condition = 'a.chain_id = ? AND a.linked_local_id = ? AND a.protocol = ?'
  return rowArm(dialect, 'attestation_by_linked', condition, [chainId, localId.slice(2), protocol], chainId)
}

export function portalArm(dialect: Dialect, portal: Uint8Array, chainId: ChainId): WalkArm {
  const condition = 'a.portal = ? AND a.chain_id = ?'
  return rowArm(dialect, 'attestation_by_portal', condition, [portal, chainId], chainId)
}

/** The list of an address in one role on one chain. */
export function addressArm(
  dialect: Dialect,
  addressId: number,
  role: AddressRole,
  chainId: ChainId,
): WalkArm {
  if (role === 'created') return attesterArm(dialect, addressId, chainId, null)
  const condition = `k.address_id = ? AND ${selfTerm(dialect, role)} AND k.chain_id = ?`
  const range = term(condition, addressId, chainId)
  return postingArm(dialect, `${dialect.received('chain')} k`, 'k.chain_id', range, chainId)
}

/** The list of an address in one role under one schema, which is on that chain. */
export function addressSchemaArm(
  dialect: Dialect,
  addressId: number,
  role: AddressRole,
  schemaId: number,
  chainId: ChainId,
): WalkArm {
  if (role === 'created') {
    const condition = 'a.attester_id = ? AND a.schema_id = ?'
    return rowArm(dialect, 'attestation_by_attester_schema', condition, [addressId, schemaId], chainId)
  }
  const condition = `k.address_id = ? AND ${selfTerm(dialect, role)} AND k.schema_id = ?`
  const range = term(condition, addressId, schemaId)
  return postingArm(dialect, `${dialect.received('schema')} k`, String(chainId), range, chainId)
}

/** The attestations that have a value, in an indexing value or a recipient, on all chains. */
export function valueArm(dialect: Dialect, key: Uint8Array, rowCondition: SqlText | null = null): WalkArm {
  const arm = postingArm(dialect, 'value_posting k', 'k.chain_id', term('k.value_key = ?', key), null)
  return { ...arm, chainInKey: true, rowCondition }
}

/** The attestations that have a value in one of the two, on one chain or on all; each entry is checked for both. */
export function holderArm(
  dialect: Dialect,
  key: Uint8Array,
  holder: number,
  chainId: ChainId | null,
): WalkArm {
  const isHolder = term('k.holder & ? <> 0', holder)
  const onChain = chainId === null ? noTerm : term(`${dialect.hidden('k.chain_id', 'integer')} = ?`, chainId)
  return valueArm(dialect, key, allOf([isHolder, onChain]))
}

/** The attestations `a` that a condition finds: few, or in the order of listings by the index of the condition. */
export function foundArm(condition: SqlText): WalkArm {
  return { ...ofRows, from: 'attestation a', condition }
}

/** All attestations with a recipient that is no address, and those that name an address twice. */
export function otherRecipientsArm(dialect: Dialect): WalkArm {
  return rowArm(dialect, 'attestation_other_recipients', dialect.hasOtherRecipients('a'), [], null)
}

/** The arm with a condition of its own on its rows. */
export function withRowCondition(arm: WalkArm, rowCondition: SqlText): WalkArm {
  return { ...arm, rowCondition }
}

function rowArm(
  dialect: Dialect,
  index: AttestationIndex,
  condition: string,
  parameters: readonly SqlInput[],
  chainId: ChainId | null,
): WalkArm {
  const isBySchema = index === 'attestation_by_schema' || index === 'attestation_by_attester_schema'
  return {
    ...ofRows,
    from: dialect.walked('attestation', 'a', index),
    // An index by schema does not hold the chain; the schema is on one.
    chain: isBySchema ? String(chainId) : 'a.chain_id',
    condition: { sql: condition, parameters },
    chainId,
    chainInKey: chainId === null,
  }
}

/** An arm of rows `a` on all chains. */
const ofRows = {
  join: '',
  timestamp: 'a.attest_timestamp',
  chain: 'a.chain_id',
  order: 'a.id',
  chainId: null,
  chainInKey: true,
  rowCondition: null,
}

/** A range of a table of postings, which are joined with their attestations. */
export function postingArm(
  dialect: Dialect,
  from: string,
  chain: string,
  condition: SqlText,
  chainId: ChainId | null,
): WalkArm {
  return {
    from,
    join: ` ${dialect.drivenJoin} attestation a ON a.id = k.id`,
    timestamp: 'k.attest_timestamp',
    chain,
    order: 'k.id',
    condition,
    chainId,
    chainInKey: false,
    rowCondition: null,
  }
}

function selfTerm(dialect: Dialect, role: AddressRole): string {
  return dialect.flag('k.is_self', role === 'receivedSelf')
}
