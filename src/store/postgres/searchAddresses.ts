import type { Address } from '../../model/hex.ts'
import { addressPrefixDigitsMin, type ClassifiedKeyword } from '../../model/keyword.ts'
import type { AddressStatistics, SearchGroup } from '../indexReader.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import { addressStatistics, findAddress } from '../reading/addressLists.ts'
import type { ReadSession } from './readSession.ts'

type AddressMatch = AddressStatistics & { readonly address: Address }

/** Addresses that are a registrant, attester or recipient: one exactly, or those with a prefix, the busiest first. */
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

/** Of an address that is kept, some counter is not zero, or it is a resolver only, or what is left after a revert. */
const isIndexed = 'schemas_created + created + received_other + received_self > 0'

async function searchPrefix(
  { connection }: ReadSession,
  digits: string,
  limit: number,
): Promise<SearchGroup<AddressMatch>> {
  const first = Buffer.from(digits.padEnd(40, '0'), 'hex')
  const last = Buffer.from(digits.padEnd(40, 'f'), 'hex')
  const [count, rows] = await Promise.all([
    connection.get<[number]>(
      `SELECT count(*) FROM address WHERE bytes BETWEEN ? AND ? AND ${isIndexed}`,
      first,
      last,
    ),
    connection.all<[Uint8Array, number, number, number, number]>(
      'SELECT bytes, schemas_created, created, received_other, received_self FROM address ' +
        `WHERE bytes BETWEEN ? AND ? AND ${isIndexed} ORDER BY created + received_other DESC, bytes LIMIT ?`,
      first,
      last,
      limit,
    ),
  ])
  return {
    total: count?.[0] ?? 0,
    rows: rows.map(([bytes, schemasCreated, created, receivedOther, receivedSelf]) => ({
      address: addressOfBytes(bytes),
      ...addressStatistics({ id: 0, schemasCreated, created, receivedOther, receivedSelf }),
    })),
  }
}
