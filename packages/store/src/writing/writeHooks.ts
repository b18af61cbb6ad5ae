import type { HookOrder, SavedHook } from '@attestry/core/index/hookStore.ts'
import type { Tables } from '../port/tables.ts'

/** The claim of the process that delivers hooks stands among the claims of chains: no chain has this number. */
export const hooksClaim = 0

/** Writes how far hooks have come, and deletes the orders that they have followed. */
export async function saveHooks(tables: Tables, saved: readonly SavedHook[]): Promise<void> {
  for (const { name, stateJson, takenOrderJson } of saved) {
    await insertHook(tables, name)
    await tables.run(
      'UPDATE hook SET state_json = ?, replay_json = CASE WHEN replay_json = ? THEN NULL ELSE replay_json END WHERE name = ?',
      stateJson,
      takenOrderJson,
      name,
    )
  }
}

/** Writes an order of an operator. */
export async function orderHook(
  tables: Tables,
  name: string,
  { paused, orderJson }: HookOrder,
): Promise<void> {
  await insertHook(tables, name)
  if (paused !== undefined) {
    await tables.run(`UPDATE hook SET paused = ${paused ? 'TRUE' : 'FALSE'} WHERE name = ?`, name)
  }
  if (orderJson !== undefined) {
    await tables.run('UPDATE hook SET replay_json = ? WHERE name = ?', orderJson, name)
  }
}

async function insertHook(tables: Tables, name: string): Promise<void> {
  await tables.run('INSERT INTO hook (name, paused) VALUES (?, FALSE) ON CONFLICT (name) DO NOTHING', name)
}
