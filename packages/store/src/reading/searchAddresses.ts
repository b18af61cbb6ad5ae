import type { Address } from '@attestry/core/model/hex.ts'
import { addressPrefixDigitsMin, type ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { SearchGroup } from '@attestry/core/index/indexQueries.ts'
import type { AddressStatistics } from '@attestry/core/index/storedRecords.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import { addressStatistics, findAddress } from './addressLists.ts'
import { countFrom } from './countFrom.ts'
import type { ReadSession } from './session.ts'

type AddressMatch = AddressStatistics & { readonly address: Address }

/**
 * Searches addresses that are a registrant, attester or recipient: the address that the keyword is, or those that begin
 * with the keyword, the one with most attestations first.
 */
export async function searchAddresses(
  session: ReadSession,
  { target }: ClassifiedKeyword,
  limit: number,
): Promise<SearchGroup<AddressMatch>> {
  if (target.kind === 'address') {
    const statistics = addressStatistics(await findAddress(session.connection, target.address))
    const { schemaCreated, totalAttestations, attestationReceived } = statistics
    if (schemaCreated + totalAttestations + attestationReceived === 0) return { total: 0, rows: [] }
    return { total: 1, rows: limit < 1 ? [] : [{ address: target.address, ...statistics }] }
  }
  const isPrefix =
    target.kind === 'hexPrefix' &&
    target.digits.length >= addressPrefixDigitsMin &&
    target.digits.length <= 40
  return isPrefix ? await searchPrefix(session, target.digits, limit) : { total: 0, rows: [] }
}

/** Rows without a count are those of mere resolvers, and those that a revert left. */
const withPrefix =
  'address WHERE bytes BETWEEN ? AND ? AND schemas_created + created + received_other + received_self > 0'

async function searchPrefix(
  { connection }: ReadSession,
  digits: string,
  limit: number,
): Promise<SearchGroup<AddressMatch>> {
  const range = [Buffer.from(digits.padEnd(40, '0'), 'hex'), Buffer.from(digits.padEnd(40, 'f'), 'hex')]
  const [total, rows] = await Promise.all([
    countFrom(connection, withPrefix, range),
    connection.all<[Uint8Array, number, number, number, number]>(
      'SELECT bytes, schemas_created, created, received_other, received_self ' +
        `FROM ${withPrefix} ORDER BY created + received_other DESC, bytes LIMIT ${connection.dialect.bound}`,
      ...range,
      limit,
    ),
  ])
  return {
    total,
    rows: rows.map(([bytes, schemasCreated, created, receivedOther, receivedSelf]) => ({
      address: addressOfBytes(bytes),
      ...addressStatistics({ id: 0, schemasCreated, created, receivedOther, receivedSelf }),
    })),
  }
}
