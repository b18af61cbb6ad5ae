import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { openIndexAudit } from '../auditing/openIndexAudit.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { describeIndexAudit } from '../testing/indexAuditContract.ts'
import { generateBlocks, steps } from '../testing/generatedChain.ts'
import { findMiscounts } from '../testing/recount.ts'
import { fillStore } from '../testing/storeFactory.ts'
import { openConnection } from './connection.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'
import { openSqliteAudit } from './openSqliteAudit.ts'
import { openSqliteRepair } from './openSqliteRepair.ts'
import { createShadowSession, openShadowConnection } from './shadow.ts'
import { testFieldIndexing, testFieldIndexingOf } from '../testing/testPayloads.ts'

describeIndexAudit('the audit of the SQLite store', (options) => {
  const { path, remove } = createSqliteTestStore(options)
  return Promise.resolve({
    openWriter: (setting = 'all', rowsPerStep) =>
      openSqliteWriter(path, { fields: testFieldIndexingOf(setting, rowsPerStep) }),
    openReader: () => openSqliteReader(path),
    openAudit: () => openSqliteAudit(path, testFieldIndexing),
    openRepair: () => openSqliteRepair(path, testFieldIndexing),
    findMiscounts: async () => {
      const connection = openConnection(path, { readOnly: true, cacheMib: 1 })
      const miscounts = await findMiscounts(connection, testFieldIndexing.decodePayload)
      connection.close()
      return miscounts
    },
    remove,
  })
})

test('counts that the writer gets wrong are found, though all rows are what it makes of the events', async () => {
  const { path, folder, remove } = createSqliteTestStore({ rankThreshold: 3 })
  const writer = openSqliteWriter(path, { fields: testFieldIndexing })
  const [history = []] = fc.sample(steps(60), { numRuns: 1, seed: 7 })
  await fillStore(writer, new Map([[5, generateBlocks(5, [], history, 'a')]]))
  await writer.close()
  // The shadow is compared with the sound index; the recount reads a copy, as a wrong writer would have left it.
  const wrong = join(folder, 'wrong.db')
  copyFileSync(path, wrong)
  const damaged = openConnection(wrong, { readOnly: false, cacheMib: 1 })
  damaged.exec('UPDATE protocol_count SET attestation_count = attestation_count + 1')
  const source = openConnection(path, { readOnly: true, cacheMib: 1 })
  const shadow = openShadowConnection(path, 'reading')
  shadow.exec('BEGIN')
  const audit = openIndexAudit(
    {
      openSnapshot: () =>
        Promise.resolve({
          reads: damaged,
          findDamage: async function* () {},
          openShadow: () => Promise.resolve(createShadowSession(shadow, source)),
          close: () => Promise.resolve([damaged, source, shadow].forEach((each) => each.close())),
        }),
      translateError: (error) => error,
    },
    testFieldIndexing,
  )
  const found: Difference[] = []
  for await (const difference of audit.findContradictions()) found.push(difference)
  await audit.close()
  await remove()
  const protocols = found.filter(({ stored }) => stored !== null)
  expect(protocols.length).toBeGreaterThan(0)
  for (const each of found)
    expect(each).toMatchObject({ what: 'derived', subject: 'protocol_count', remedy: 'none' })
})
