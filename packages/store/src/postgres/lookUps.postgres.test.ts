import { expect, test } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { fieldCondition } from '../reading/fieldArms.ts'
import { unnamedCondition } from '../reading/filterConditions.ts'
import { postgresDialect } from './dialect.ts'

test('a row of a list is looked up in another list by its whole key, whatever the statistics say', async () => {
  const lists = [{ valueId: 7, count: 1, schemaId: 1, chainId: 5 }]
  const inField = fieldCondition(postgresDialect, lists)
  const unnamed = unnamedCondition(postgresDialect, new Uint8Array(20))
  const store = await createPostgresTestStore({ rankThreshold: 4 })
  try {
    for (const { sql, parameters } of [inField, unnamed].flatMap((term) => term ?? [])) {
      const plan: string[] = []
      await withTestConnection(store.url, async (connection) => {
        const text = `EXPLAIN (COSTS OFF) SELECT a.id FROM attestation a WHERE a.attester_id = 1 AND ${sql} LIMIT 10`
        plan.push(...(await connection.all<[string]>(text, ...parameters)).map(([line]) => line))
      })
      expect(plan.join('\n')).toMatch(
        /SubPlan[^]*Index Cond: .*attest_timestamp = a\.attest_timestamp.* AND .*id = a\.id/,
      )
      expect(plan.join('\n')).not.toContain('Join')
      expect(plan.join('\n')).not.toContain('Nested Loop')
    }
  } finally {
    await store.remove()
  }
})
