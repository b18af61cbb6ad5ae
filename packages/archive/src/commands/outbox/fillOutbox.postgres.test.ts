import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPostgresIndex } from '@attestry/test/harness/postgresTestStore.ts'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { readOutbox } from '@attestry/test/harness/readOutbox.ts'
import { exportedRecords } from '@attestry/hooks/testing/followMessages.ts'
import { journalDefault, type JournalLimits } from '@attestry/store/layout/journal.ts'
import { openPostgresOutbox, type Outbox } from '@attestry/store/postgres/openOutbox.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { histories, playHistory } from '@attestry/store/testing/playHistory.ts'
import { exportOf } from '@attestry/store/testing/storeFactory.ts'
import { historyRuns } from '@attestry/store/testing/historyShare.ts'
import { fillOnce } from './fillOutbox.ts'

/** A database with an outbox, which some processes fill. */
async function openFilled(limits: JournalLimits = journalDefault, journal = journalDefault) {
  const database = await createPostgresIndex({ rankThreshold: 1_000 })
  const writer = openPostgresWriter(database.url, { journal })
  const reader = openPostgresReader(database.url)
  const outboxes = [0, 1].map(() => openPostgresOutbox(database.url, limits))
  const fillAll = async (outbox: Outbox) => {
    while (await fillOnce(outbox, reader));
  }
  return {
    url: database.url,
    writer,
    reader,
    outboxes: outboxes as [Outbox, Outbox],
    fillAll,
    close: async () => {
      await Promise.all([...outboxes.map((outbox) => outbox.close()), reader.close(), writer.close()])
      await database.remove()
    },
  }
}

/** Ends the sessions that write to the outbox, as a kill of their processes does. */
function endSessions(url: string): Promise<unknown> {
  return withTestConnection(url, (connection) =>
    connection.all(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'attestry outbox' " +
        'AND datname = current_database()',
    ),
  )
}

test('who follows the outbox knows the index, through reorganisations, two writers and ends of their sessions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(histories, { minLength: 2, maxLength: 4 }), fc.nat(2), async (acts, endAt) => {
      const { url, writer, reader, outboxes, fillAll, close } = await openFilled()
      const [one, other] = outboxes
      await fillAll(one)
      let chains: Awaited<ReturnType<typeof playHistory>> | undefined
      for (const [index, history] of acts.entries()) {
        const filling = Promise.allSettled([fillAll(one), fillAll(other)])
        chains = await playHistory(writer, history, chains)
        if (index === endAt) await endSessions(url)
        await filling
      }
      await fillAll(one)
      const { known, resets } = await readOutbox(url)
      expect(known).toEqual(exportedRecords(await exportOf(reader, true)))
      expect(resets).toBe(1)
      await close()
    }),
    { numRuns: historyRuns(10) },
  )
})

test('an outbox keeps its newest rows, and says where the journal no longer reaches it', async () => {
  const { url, writer, outboxes, fillAll, close } = await openFilled(
    { rowsMax: 5, ageMaxMs: journalDefault.ageMaxMs },
    { rowsMax: 2, ageMaxMs: journalDefault.ageMaxMs },
  )
  const [outbox] = outboxes
  await fillAll(outbox)
  const [first = [], second = []] = fc
    .sample(histories, { numRuns: 40, seed: 2 })
    .filter(({ length }) => length > 4)
  const chains = await playHistory(writer, first)
  await fillAll(outbox)
  expect((await readOutbox(url)).rows).toBeLessThanOrEqual(5)
  await playHistory(writer, second, chains)
  await fillAll(outbox)
  const { rows, resets } = await readOutbox(url)
  expect(rows).toBeLessThanOrEqual(5)
  expect(resets).toBeGreaterThan(0)
  await close()
})
