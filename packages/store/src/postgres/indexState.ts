import type { Connection } from './connection.ts'

/** A state of the index. Sessions that see the same state see the same rows. */
export interface IndexState {
  readonly version: number
  /**
   * Every transaction of a writer increases this number by a random step: two histories, as after a failover that lost
   * commits, do not reach the same one.
   */
  readonly writeCount: number
}

/** The columns of `index_state` by which a state is known. */
export const stateColumns = 'version, write_count'
export type StateColumns = [version: number, writeCount: number]

export function stateOf([version, writeCount]: StateColumns): IndexState {
  return { version, writeCount }
}

export async function readState(connection: Connection): Promise<IndexState> {
  const row = await connection.get<StateColumns>(`SELECT ${stateColumns} FROM index_state`)
  if (row === undefined) throw new Error('the database has no row of its state')
  return stateOf(row)
}

export function isSameState(a: IndexState, b: IndexState): boolean {
  return a.version === b.version && a.writeCount === b.writeCount
}
