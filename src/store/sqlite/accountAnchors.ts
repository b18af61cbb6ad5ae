import type { Changes } from '../layout/changes.ts'
import type { Connection } from './connection.ts'

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
