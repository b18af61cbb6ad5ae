import { openPostgresReader } from '../../src/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '../../src/store/postgres/openPostgresWriter.ts'
import type { StoreReader } from '../../src/store/reading/openIndexReader.ts'
import { exportAndClose } from '../../src/store/testing/storeFactory.ts'
import type { FieldIndexing } from '../../src/store/layout/fieldState.ts'
import { findDigestProblems } from '../harness/digestProblems.ts'
import { findFieldProblems } from '../harness/fieldProblems.ts'
import { withTestConnection } from '../harness/postgresConnection.ts'
import { createPostgresTestStore } from '../harness/postgresTestStore.ts'
import type { Random } from '../simulator/random.ts'
import type { VirtualClock } from '../simulator/virtualClock.ts'
import type { SimulatedDatabase, SimulatedWriter } from './simulatedDatabase.ts'

/**
 * PostgreSQL dies by its sessions: the server ends those of the dead process wherever they are, and the next life
 * begins when they are gone. While the server works, the simulated world's time stands still.
 */
export async function createPostgresWorld(clock: VirtualClock): Promise<SimulatedDatabase> {
  const store = await createPostgresTestStore({ rankThreshold: 8 })
  let buried: Promise<void> = Promise.resolve()

  function openWriter(_: Random, fields: FieldIndexing): SimulatedWriter {
    const writer = openPostgresWriter(store.url, { fields })
    const outside = <Result>(work: () => Promise<Result>) =>
      clock.during(async () => {
        await buried
        return work()
      })
    const die = () => {
      buried = clock.during(() => endSessions(store.url))
    }
    return {
      ...writer,
      claimChain: (chainId) => outside(() => writer.claimChain(chainId)),
      releaseChain: (chainId) => outside(() => writer.releaseChain(chainId)),
      openChain: (identity) => outside(() => writer.openChain(identity)),
      listContracts: (chainId) => outside(() => writer.listContracts(chainId)),
      applyBlocks: (chainId, batch) => outside(() => writer.applyBlocks(chainId, batch)),
      revertBlocks: (...args) => outside(() => writer.revertBlocks(...args)),
      advanceFields: (chainId) => outside(() => writer.advanceFields(chainId)),
      advanceDigest: (chainId) => outside(() => writer.advanceDigest(chainId)),
      saveChainStatus: (status) => outside(() => writer.saveChainStatus(status)),
      claimHooks: () => outside(() => writer.claimHooks()),
      saveHooks: (saved) => outside(() => writer.saveHooks(saved)),
      close: () => outside(() => writer.close()),
      die,
      dieApplying: (chainId, batch, random, onDeath) => {
        const knowsOfCommit = random.chance(0.3)
        return outside(async () => {
          const applied = writer.applyBlocks(chainId, batch)
          // Either in the midst of it, or after the commit and before its answer.
          if (knowsOfCommit) await applied
          onDeath()
          die()
          return await applied
        })
      },
    }
  }

  function openReader(): StoreReader {
    const reader = openPostgresReader(store.url)
    const during =
      <Arguments extends unknown[], Result>(read: (...args: Arguments) => Promise<Result>) =>
      (...args: Arguments) =>
        clock.during(() => read(...args))
    return {
      ...reader,
      indexVersion: during(reader.indexVersion),
      listChains: during(reader.listChains),
      newestChange: during(reader.newestChange),
      listChanges: during(reader.listChanges),
      listHooks: during(reader.listHooks),
      listChainEnds: during(reader.listChainEnds),
      listRecordsBetween: during(reader.listRecordsBetween),
      close: during(reader.close),
    }
  }

  return {
    openWriter,
    openReader,
    readExport: () => clock.during(() => exportAndClose(openPostgresReader(store.url), true)),
    findFieldProblems: (isFinished) => clock.during(() => findFieldProblems(store.url, isFinished)),
    findDigestProblems: (exported) =>
      clock.during(() => findDigestProblems(openPostgresReader(store.url), exported)),
    remove: async () => {
      await buried
      await endSessions(store.url)
      await store.remove()
    },
  }
}

/** Ends every writer of the database and waits until it is gone. */
async function endSessions(url: string): Promise<void> {
  await withTestConnection(url, (connection) =>
    connection.all(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'attestry index' " +
        'AND datname = current_database()',
    ),
  )
}
