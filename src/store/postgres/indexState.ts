import type { Connection } from './connection.ts'

/** A state of the index. Sessions that see the same state see the same rows. */
export interface IndexState {
  readonly version: number
  /**
   * Every transaction of a writer increases this number by a random step: two histories, as after a failover that lost
   * commits, do not reach the same one.
   */
  readonly writeCount: number
  /** The transaction that wrote the state. A logical replica has numbers of its own, and may lag table by table. */
  readonly transaction: string
}

/** The columns of `index_state` by which a state is known. */
export const stateColumns = 'version, write_count, xmin::text'
export type StateColumns = [version: number, writeCount: number, transaction: string]

export function stateOf([version, writeCount, transaction]: StateColumns): IndexState {
  return { version, writeCount, transaction }
}

export async function readState(connection: Connection): Promise<IndexState> {
  const row = await connection.get<StateColumns>(`SELECT ${stateColumns} FROM index_state`)
  if (row === undefined) throw new Error('the database has no row of its state')
  return stateOf(row)
}

export function isSameState(a: IndexState, b: IndexState): boolean {
  return a.version === b.version && a.writeCount === b.writeCount && a.transaction === b.transaction
}
