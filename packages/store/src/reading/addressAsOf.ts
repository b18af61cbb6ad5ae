import type { Address } from '@attestry/core/model/hex.ts'
import { addressRoles, kindsOfRole, listKind, type AddressRole, type RankList } from '../layout/listKinds.ts'
import type { AddressStatistics } from '@attestry/core/index/storedRecords.ts'
import { addressStatistics, countPart, findAddress, type AddressRow } from './addressLists.ts'
import { countAsOf } from './countAsOf.ts'
import { countFrom } from './countFrom.ts'
import type { PastSession } from './session.ts'

/** The statistics of an address as of a moment. */
export async function statisticsAsOf(session: PastSession, account: Address): Promise<AddressStatistics> {
  const address = await findAddress(session.connection, account)
  if (address === null) return addressStatistics(null)
  const [schemasCreated, created = 0, receivedOther = 0, receivedSelf = 0] = await Promise.all([
    countSchemas(session, address),
    ...addressRoles.map((role) => countRole(session, address, role)),
  ])
  return addressStatistics({ id: address.id, schemasCreated, created, receivedOther, receivedSelf })
}

async function countRole(session: PastSession, address: AddressRow, role: AddressRole): Promise<number> {
  const { cut } = session
  if (address[role] === 0) return 0
  const { all, onChain } = kindsOfRole[role]
  if (cut.chainId === null) {
    return await countAsOf(session, cut, {
      list: { kind: all, ownerId: address.id, scopeId: 0 },
      count: address[role],
    })
  }
  const list: RankList = { kind: onChain, ownerId: address.id, scopeId: cut.chainId }
  return await countAsOf(session, cut, { list, count: await countPart(session, address[role], list) })
}

async function countSchemas(session: PastSession, { id, schemasCreated }: AddressRow): Promise<number> {
  const { connection, cut } = session
  const [chain] = cut.chains
  if (cut.chainId === null || chain === undefined) {
    const list = { kind: listKind.schemasOfRegistrant, ownerId: id, scopeId: 0 }
    return await countAsOf(session, cut, { list, count: schemasCreated })
  }
  const { dialect } = connection
  return await countFrom(
    connection,
    `${dialect.walked('schema', 's', 'schema_by_registrant')} WHERE s.registrant_id = ? ` +
      `AND ${dialect.flag('s.registered', true)} AND ${dialect.hidden('s.chain_id', 'integer')} = ? ` +
      `AND ${dialect.hidden('s.position', 'integer')} <= ?`,
    [id, chain.chainId, chain.position],
  )
}
