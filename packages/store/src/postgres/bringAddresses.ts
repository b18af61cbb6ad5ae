import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import type { Connection } from './connection.ts'
import { createPostgresTables } from './tables.ts'

/**
 * Gives rows with counts of 0 to addresses that have none, in a transaction of its own: once it is committed, no
 * transaction of another chain can bring the same addresses first.
 */
export async function bringAddresses(
  connection: Connection,
  chainId: ChainId,
  addresses: Iterable<Address>,
): Promise<void> {
  const chain = await connection.get<[number]>('SELECT ordinal FROM chain WHERE chain_id = ?', chainId)
  if (chain === undefined) return
  const { nextAddressId } = await createPostgresTables(connection).nextIds(chain[0])
  await connection.run(
    'INSERT INTO address (id, bytes, schemas_created, created, received_other, received_self) ' +
      'SELECT ? + row_number() OVER (ORDER BY b.bytes), b.bytes, 0, 0, 0, 0 FROM unnest(?::bytea[]) AS b (bytes) ' +
      'WHERE NOT EXISTS (SELECT FROM address a WHERE a.bytes = b.bytes) ON CONFLICT (bytes) DO NOTHING',
    nextAddressId - 1,
    Array.from(new Set(addresses), hexBytes),
  )
}
