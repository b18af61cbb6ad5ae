import type { ChainRow } from '../layout/entries.ts'
import { progressTable } from '../layout/projectionStatements.ts'
import type { Projection } from '../port/projection.ts'
import type { Tables } from '../port/tables.ts'
import type { WriterState } from './writerState.ts'

/** Notes that the projections of a writer stand at the checkpoint of a chain. */
export async function noteProgress({ tables, memory }: WriterState, chain: ChainRow): Promise<void> {
  if (memory.projections.length === 0) return
  await tables.put(
    progressTable,
    memory.projections.map(({ name }) => ({
      projection: name,
      chain_id: chain.chainId,
      block: chain.checkpointBlock ?? -1,
    })),
  )
}

/**
 * Whether the projections stand at the checkpoint of a chain: they do not if another program, which lacks one of them, has
 * indexed the chain, or if their tables were lost.
 */
export async function areFollowing(
  tables: Tables,
  projections: readonly Projection[],
  { chainId, checkpointBlock }: ChainRow,
): Promise<boolean> {
  if (projections.length === 0) return true
  const rows = await tables.findBy(progressTable, ['projection', 'block'], 'chain_id', [chainId])
  return projections.every(({ name }) =>
    rows.some(({ projection, block }) => projection === name && block === (checkpointBlock ?? -1)),
  )
}
