import { expect } from 'vitest'
import { followMessages, type KnownRecord } from '@attestry/hooks/testing/followMessages.ts'
import { withTestConnection } from './postgresConnection.ts'

/** The type of a hook's message for each type of a row. */
const messageTypes: Readonly<Record<string, string>> = {
  attestation: 'attestation.made',
  revocation: 'attestation.revoked',
  schema: 'schema.registered',
  anchor: 'anchor.made',
  revert: 'record.reverted',
}

/**
 * Reads the outbox like a follower, and asserts that it has no row twice and no gap.
 * @returns the records, and how many rows there are.
 */
export async function readOutbox(
  url: string,
): Promise<{ readonly known: readonly KnownRecord[]; readonly rows: number; readonly resets: number }> {
  const rows = await withTestConnection(url, (connection) =>
    connection.all<[number, string, string, number | null, string | null, string]>(
      'SELECT number, id, type, chain_id, record, payload FROM attestry.outbox ORDER BY number',
    ),
  )
  const first = rows[0]?.[0] ?? 1
  expect(rows.map(([number]) => number)).toEqual(rows.map((_, index) => first + index))
  expect(new Set(rows.map(([, id]) => id)).size).toBe(rows.length)
  const messages = rows
    .filter(([, , type]) => type !== 'reset')
    .map(([, , type, chainId, record, payload]) => {
      const data = JSON.parse(payload) as Record<string, unknown>
      expect(String(data['chainId'])).toBe(String(chainId))
      expect(record === null || record === data['id']).toBe(true)
      return { type: messageTypes[type] ?? type, data }
    })
  return { known: followMessages(messages), rows: rows.length, resets: rows.length - messages.length }
}
