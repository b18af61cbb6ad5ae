import { eventPosition, positionsPerBlock, type Position } from '@attestry/core/model/position.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexRepair } from '@attestry/core/index/indexAudit.ts'
import { rowId } from '../layout/rowId.ts'
import type { Mend } from '../port/shadow.ts'
import { requireChainRow, writeChainRow } from '../writing/chainRow.ts'
import { revertBlocks } from '../writing/revertBlocks.ts'
import { writeShared } from '../writing/writeChanges.ts'
import { createWriterMemory, openState, writeState } from '../writing/writerState.ts'
import type { ChainEdit } from './editEvents.ts'
import { putInPlace, type TouchedRows } from './putInPlace.ts'
import { fillShadowIndex, type Readings, type ShadowIndex } from './shadowIndex.ts'

/**
 * Mends a database: the index is made anew beside itself, and what differs is put in its place, in one transaction.
 * Readers see the old state until its end.
 */
export function openIndexRepair(transact: Mend, readings: Readings): IndexRepair {
  function mend(
    edit: ChainEdit | null,
    change: (shadow: ShadowIndex) => Promise<TouchedRows | null>,
  ): Promise<void> {
    return transact(async (session) => {
      const shadow = await fillShadowIndex(session, readings, edit)
      await putInPlace(shadow, await change(shadow))
    })
  }

  return {
    rebuild: () => mend(null, () => Promise.resolve(null)),
    replaceBlocks: (chainId, ranges, storedAt) =>
      mend({ chainId, ranges, storedAt: unixMilliseconds(storedAt) }, async ({ tables }) => {
        const chain = await requireChainRow(tables, chainId)
        const positions = ranges.map(({ fromBlock, toBlock }): [number, number] => [
          eventPosition(fromBlock, 0),
          eventPosition(toBlock, positionsPerBlock - 1),
        ])
        return touchedRows(chain.ordinal, chainId, positions)
      }),
    rewind: (chainId, toBlock) =>
      mend(null, async ({ tables }) => {
        const state = await openState(tables, createWriterMemory({ projections: readings.projections }), {
          ...readings,
          includes: null,
        })
        const chain = await requireChainRow(tables, chainId)
        const { changes } = await revertBlocks(state, chain, toBlock, unixMilliseconds(0))
        await writeChainRow(tables, chain)
        await writeShared(state, changes)
        await writeState(state, false)
        return touchedRows(chain.ordinal, chainId, [[(toBlock + 1) * positionsPerBlock, 2 ** 53 - 1]])
      }),
  }
}

function touchedRows(ordinal: number, chainId: number, positions: readonly [number, number][]): TouchedRows {
  const ids = positions.map(
    ([first, last]) => [rowId(ordinal, first as Position), rowId(ordinal, last as Position)] as const,
  )
  return { chainId, positions, ids }
}
