import { StoreInvariantError, StoreUnavailableError } from '../../../errors/storeErrors.ts'
import { eventPosition, logsPerBlockMax } from '../../../model/position.ts'
import { unixMilliseconds } from '../../../model/time.ts'
import type { IndexRepair } from '../../indexAudit.ts'
import { rowId } from '../../layout/rowId.ts'
import { advisoryLockKey } from '../advisoryLock.ts'
import { findChainRow, writeChainRow } from '../../writing/chainRow.ts'
import { revertBlocks } from '../../writing/revertBlocks.ts'
import { createWriterMemory, lockState, writeState } from '../../writing/writerState.ts'
import { openConnection, type Connection } from '../connection.ts'
import { databasePlace } from '../databasePlace.ts'
import { checkLayout } from '../migratePostgres.ts'
import { createStatementTexts } from '../statementTexts.ts'
import { translatePostgresError } from '../translatePostgresError.ts'
import { writerSettings } from '../writerSession.ts'
import { createPostgresTables } from '../tables.ts'
import type { ChainEdit } from './chainEdit.ts'
import { auditSettings } from './openPostgresAudit.ts'
import { putInPlace, type TouchedRows } from './putInPlace.ts'
import { createShadowIndex, findStoredSchema, wholeChains, type ShadowIndex } from './shadowIndex.ts'

/**
 * Opens the database at `url` to mend it: the index is made anew beside itself, and what differs is put in its place, in one
 * transaction. Readers see the old state until its end.
 * @throws StoreUnavailableError where another process has claimed a chain; StoreIncompatibleError. Both from its methods.
 */
export function openPostgresRepair(url: string): IndexRepair {
  const place = databasePlace(url)

  async function mend(
    edit: ChainEdit | null,
    change: (shadow: ShadowIndex) => Promise<TouchedRows | null>,
  ): Promise<void> {
    const [connection, source] = [await open(writerSettings), await open({})]
    try {
      await checkLayout(connection, place)
      await connection.exec('BEGIN')
      // Writers take turns: from here on the stored tables are as this transaction sees them.
      await connection.exec('SELECT FROM index_state FOR UPDATE')
      await claimChains(connection, place)
      await source.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const shadow = await createShadowIndex(connection, source, await findStoredSchema(source), edit)
      await putInPlace(shadow, await change(shadow))
      await connection.exec('COMMIT')
    } catch (error) {
      throw translatePostgresError(place, error)
    } finally {
      await source.close()
      await connection.close()
    }
  }

  async function open(settings: Readonly<Record<string, string | number>>): Promise<Connection> {
    try {
      return await openConnection({
        url,
        applicationName: 'attestry repair',
        settings: { ...settings, ...auditSettings },
        statements: createStatementTexts(),
      })
    } catch (error) {
      throw translatePostgresError(place, error)
    }
  }

  return {
    rebuild: () => mend(null, () => Promise.resolve(null)),
    replaceBlocks: (chainId, ranges, storedAt) =>
      mend({ chainId, ranges, storedAt: unixMilliseconds(storedAt) }, async ({ connection }) => {
        const chain = await findChainRow(connection, chainId)
        if (chain === null) throw new StoreInvariantError(`chain ${chainId} was never opened`)
        const positions = ranges.map(({ fromBlock, toBlock }): [number, number] => [
          eventPosition(fromBlock, 0),
          eventPosition(toBlock, logsPerBlockMax - 1),
        ])
        return touchedRows(chain.ordinal, chainId, positions)
      }),
    rewind: (chainId, toBlock) =>
      mend(null, async ({ connection }) => {
        const state = await lockState(createPostgresTables(connection), createWriterMemory())
        const chain = await findChainRow(connection, chainId)
        if (chain === null) throw new StoreInvariantError(`chain ${chainId} was never opened`)
        await revertBlocks(state, chain, toBlock, unixMilliseconds(0))
        await writeChainRow(state.tables, chain)
        await writeState(state, false)
        return touchedRows(chain.ordinal, chainId, [[(toBlock + 1) * logsPerBlockMax, 2 ** 53 - 1]])
      }),
    close: () => Promise.resolve(),
  }
}

function touchedRows(ordinal: number, chainId: number, positions: readonly [number, number][]): TouchedRows {
  return {
    chainId,
    positions,
    ids: positions.map(([first, last]) => [
      rowId(ordinal, first as Parameters<typeof rowId>[1]),
      rowId(ordinal, last as Parameters<typeof rowId>[1]),
    ]),
  }
}

/** Nobody else writes to any chain until the transaction ends. */
async function claimChains(connection: Connection, place: string): Promise<void> {
  for (const { chainId } of await wholeChains(connection)) {
    const row = await connection.get<[boolean]>(
      'SELECT pg_try_advisory_xact_lock(?::bigint)',
      BigInt(advisoryLockKey(`chain ${chainId}`)),
    )
    if (row?.[0] === true) continue
    throw new StoreUnavailableError(
      `another process indexes chain ${chainId} into ${place}: stop it before a repair`,
      { facts: { chainId, database: place } },
    )
  }
}
