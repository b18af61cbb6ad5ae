import type { ChainId } from '../../model/compositeId.ts'
import type { AddressRole } from '../layout/listKinds.ts'
import type { SqlInput } from './connection.ts'
import type { SqlCondition, WalkArm } from './rowWalk.ts'

/**
 * The ranges of indexes over attestations that a filter can be walked by. Each is in the order of listings, and what it
 * does not fix itself is left to conditions on its rows.
 */

export function everyArm(): WalkArm {
  return rowArm('', [], null)
}

export function revokedArm(): WalkArm {
  return rowArm('a.revoke_timestamp IS NOT NULL', [], null)
}

export function chainArm(chainId: ChainId): WalkArm {
  return rowArm('a.chain_id = ?', [chainId], chainId)
}

export function schemaArm(schemaId: number, chainId: ChainId): WalkArm {
  return { ...rowArm('a.schema_id = ?', [schemaId], chainId), chain: String(chainId) }
}

export function linkedArm(localId: string, chainId: ChainId): WalkArm {
  return rowArm('a.chain_id = ? AND a.linked_local_id = ?', [chainId, localId], chainId)
}

/** The list of an address in one role on one chain. */
export function addressArm(addressId: number, role: AddressRole, chainId: ChainId): WalkArm {
  if (role === 'created') {
    return rowArm('a.attester_id = ? AND a.chain_id = ?', [addressId, chainId], chainId)
  }
  const condition = `k.address_id = ? AND ${selfTerm(role)} AND k.chain_id = ?`
  return postingArm('received', { sql: condition, parameters: [addressId, chainId] }, chainId)
}

/** The list of an address in one role under one schema, which is on that chain. */
export function addressSchemaArm(
  addressId: number,
  role: AddressRole,
  schemaId: number,
  chainId: ChainId,
): WalkArm {
  const parameters = [addressId, schemaId]
  const chain = String(chainId)
  if (role === 'created') {
    return { ...rowArm('a.attester_id = ? AND a.schema_id = ?', parameters, chainId), chain }
  }
  const sql = `k.address_id = ? AND ${selfTerm(role)} AND k.schema_id = ?`
  return { ...postingArm('received', { sql, parameters }, chainId), chain }
}

/** What holds a value, on one chain or on all; which of the two it is, and where, is checked of each entry. */
export function valueArm(key: Uint8Array, holder: number, chainId: ChainId | null): WalkArm {
  const arm = postingArm('value_posting', { sql: 'k.value_key = ?', parameters: [key] }, null)
  const onChain = chainId === null ? [] : [chainId]
  const rowCondition = {
    sql: `k.holder & ? <> 0${chainId === null ? '' : ' AND k.chain_id + 0 = ?'}`,
    parameters: [holder, ...onChain],
  }
  return { ...arm, chainInKey: true, rowCondition }
}

/** The arm with a condition of its own on its rows. */
export function withRowCondition(arm: WalkArm, rowCondition: SqlCondition): WalkArm {
  return { ...arm, rowCondition }
}

function rowArm(condition: string, parameters: readonly SqlInput[], chainId: ChainId | null): WalkArm {
  return {
    table: 'attestation',
    alias: 'a',
    timestamp: 'a.attest_timestamp',
    chain: 'a.chain_id',
    order: 'a.id',
    condition: { sql: condition, parameters },
    chainId,
    chainInKey: chainId === null,
    rowCondition: null,
  }
}

function postingArm(
  table: 'received' | 'value_posting',
  condition: SqlCondition,
  chainId: ChainId | null,
): WalkArm {
  return {
    table,
    alias: 'k',
    timestamp: 'k.attest_timestamp',
    chain: 'k.chain_id',
    order: 'k.id',
    condition,
    chainId,
    chainInKey: false,
    rowCondition: null,
  }
}

function selfTerm(role: AddressRole): string {
  return role === 'receivedSelf' ? 'k.is_self' : 'NOT k.is_self'
}
