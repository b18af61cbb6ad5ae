import type { ChainId } from '../../model/compositeId.ts'
import type { StoredKey } from '../indexReader.ts'
import type { AddressRole } from '../layout/listKinds.ts'
import type { Dialect } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import type { WalkArm } from './rowWalk.ts'

/**
 * The ranges of indexes over attestations that a filter can be walked by. Each is in the order of listings, and what it
 * does not fix itself is left to conditions on its rows.
 */

type AttestationIndex =
  | 'attestation_by_time'
  | 'attestation_by_chain'
  | 'attestation_by_schema'
  | 'attestation_by_attester'
  | 'attestation_by_attester_schema'
  | 'attestation_by_linked'
  | 'attestation_by_portal'
  | 'attestation_revoked'
  | 'attestation_other_recipients'

export function everyArm(dialect: Dialect): WalkArm {
  return rowArm(dialect, 'attestation_by_time', '', [], null)
}

export function revokedArm(dialect: Dialect): WalkArm {
  return rowArm(dialect, 'attestation_revoked', 'a.revoke_timestamp IS NOT NULL', [], null)
}

export function chainArm(dialect: Dialect, chainId: ChainId): WalkArm {
  return rowArm(dialect, 'attestation_by_chain', 'a.chain_id = ?', [chainId], chainId)
}

export function schemaArm(dialect: Dialect, schemaId: number, chainId: ChainId): WalkArm {
  return rowArm(dialect, 'attestation_by_schema', 'a.schema_id = ?', [schemaId], chainId)
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
  if (role === 'created') {
    const condition = 'a.attester_id = ? AND a.chain_id = ?'
    return rowArm(dialect, 'attestation_by_attester', condition, [addressId, chainId], chainId)
  }
  const condition = `k.address_id = ? AND ${selfTerm(dialect, role)} AND k.chain_id = ?`
  const parameters = [addressId, chainId]
  return postingArm(
    dialect,
    `${dialect.received('chain')} k`,
    'k.chain_id',
    { sql: condition, parameters },
    chainId,
  )
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
  const parameters = [addressId, schemaId]
  return postingArm(
    dialect,
    `${dialect.received('schema')} k`,
    String(chainId),
    { sql: condition, parameters },
    chainId,
  )
}

/** What holds a value, on one chain or on all; which of the two it is, and where, is checked of each entry. */
export function valueArm(
  dialect: Dialect,
  key: Uint8Array,
  holder: number,
  chainId: ChainId | null,
): WalkArm {
  const arm = postingArm(
    dialect,
    'value_posting k',
    'k.chain_id',
    { sql: 'k.value_key = ?', parameters: [key] },
    null,
  )
  const onChain = chainId === null ? [] : [chainId]
  const rowCondition = {
    sql: `k.holder & ? <> 0${chainId === null ? '' : ` AND ${dialect.hidden('k.chain_id', 'integer')} = ?`}`,
    parameters: [holder, ...onChain],
  }
  return { ...arm, chainInKey: true, rowCondition }
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
  return {
    from: dialect.walked('attestation', 'a', index),
    join: '',
    timestamp: 'a.attest_timestamp',
    // An index by schema does not hold the chain; the schema is on one.
    chain:
      index === 'attestation_by_schema' || index === 'attestation_by_attester_schema'
        ? String(chainId)
        : 'a.chain_id',
    order: 'a.id',
    condition: { sql: condition, parameters },
    chainId,
    chainInKey: chainId === null,
    rowCondition: null,
  }
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
