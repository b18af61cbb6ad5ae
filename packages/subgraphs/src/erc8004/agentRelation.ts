import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { loadAll } from '../engine/readByIds.ts'
import type { Relation } from '../engine/rowSource.ts'
import { agentValue } from './agents.ts'
import type { Erc8004Context } from './erc8004Context.ts'

/** The agent of a row, which is never null: rows of agents that are not indexed are left out, as the subgraph does. */
export function agentRelation<Row>(subjectOf: (row: Row) => LocalId): Relation<Row, Erc8004Context> {
  return {
    load: async ({ agents }, rows) =>
      (await loadAll(agents, rows.map(subjectOf))).map(
        (agent) => agent && ((name) => agentValue(agent, name)),
      ),
    isRequired: true,
  }
}
