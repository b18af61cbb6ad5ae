import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import type { StoreReader } from '@attestry/store/reading/openIndexReader.ts'
import { exportAndClose } from '@attestry/store/testing/storeFactory.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import { findDigestProblems } from '../harness/digestProblems.ts'
import { findFieldProblems } from '../harness/fieldProblems.ts'
import { withTestConnection } from '../harness/postgresConnection.ts'
import { createPostgresTestStore } from '../harness/postgresTestStore.ts'
import type { Random } from '../simulator/random.ts'
import type { VirtualClock } from '../simulator/virtualClock.ts'
import type { SimulatedDatabase, SimulatedWriter } from './simulatedDatabase.ts'
import { projections } from '../harness/projections.ts'

/**
 * PostgreSQL dies by its sessions: the server ends those of the dead process wherever they are, and the next life
 * begins when they are gone. While the server works, the simulated world's time stands still.
 */
export async function createPostgresWorld(clock: VirtualClock): Promise<SimulatedDatabase> {
  const store = await createPostgresTestStore({ rankThreshold: 8, projections })
  let buried: Promise<void> = Promise.resolve()

  function openWriter(_: Random, fields: FieldIndexing): SimulatedWriter {
    const outside = <Result>(work: () => Result | Promise<Result>) =>
      clock.during(async () => {
        await buried
        return work()
      })
    // All methods of a writer answer promises.
    const writer = callThrough(openPostgresWriter(store.url, { fields, projections }), outside)
    const die = () => {
      buried = clock.during(() => endSessions(store.url))
    }
    return {
      ...writer,
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
    return callThrough(openPostgresReader(store.url, { projections }), (call) => {
      const answer = call()
      return answer instanceof Promise ? clock.during(() => answer) : answer
    })
  }

  return {
    openWriter,
    openReader,
    readExport: () =>
      clock.during(() => exportAndClose(openPostgresReader(store.url, { projections }), true)),
    findFieldProblems: (isFinished) => clock.during(() => findFieldProblems(store.url, isFinished)),
    findDigestProblems: (exported) =>
      clock.during(() => findDigestProblems(openPostgresReader(store.url, { projections }), exported)),
    remove: async () => {
      await buried
      await endSessions(store.url)
      await store.remove()
    },
  }
}

/** The same object, where each call of a method goes through `through`. */
function callThrough<Target extends object>(
  target: Target,
  through: (call: () => unknown) => unknown,
): Target {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => through(() => Reflect.apply(member, target, args) as unknown)
    },
  })
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
