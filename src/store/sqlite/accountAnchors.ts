import type { ChainId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { AnchorCount } from '../indexQueries.ts'
import type { Changes } from '../layout/changes.ts'
import type { Connection } from './connection.ts'
import type { ReadSession } from './readSession.ts'

/** Writes by how much a transaction moved the anchors of accounts. */
export function writeAccountAnchors(connection: Connection, changes: Changes): void {
  const { chainId } = changes.chain
  for (const [account, kinds] of changes.accountAnchors) {
    for (const [kind, count] of kinds) {
      connection
        .statement(
          'INSERT INTO account_anchor (account, chain_id, kind, count) VALUES (?, ?, ?, ?) ' +
            'ON CONFLICT DO UPDATE SET count = count + excluded.count',
        )
        .run(account, chainId, kind, count)
    }
    if (changes.sign > 0) continue
    connection
      .statement('DELETE FROM account_anchor WHERE account = ? AND chain_id = ? AND count = 0')
      .run(account, chainId)
  }
}

/** The anchors of an account, by chain and then by the name of their event. */
export function listAnchors({ connection }: ReadSession, account: Address): AnchorCount[] {
  return connection
    .statement<[chainId: ChainId, anchor: string, count: number]>(
      'SELECT chain_id, kind, count FROM account_anchor WHERE account = ? ORDER BY chain_id, kind',
    )
    .all(account)
    .map(([chainId, anchor, count]) => ({ chainId, anchor, count }))
}
