import type { FieldValue } from '../engine/condition.ts'
import type { ListArguments } from '../engine/graphNode/listArguments.ts'
import { fieldsOf } from '../engine/matchCondition.ts'
import { loadAll } from '../engine/readByIds.ts'
import { agentValue } from './agentRows.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { nullValue } from './readWhere.ts'

/** Rows that belong to those of a list, whose fields conditions and orders name as `<relation>.<field>`. */
export interface Relation<Row> {
  /** The values of the related rows, in the order of the rows; null: a row has none. */
  readonly load: (rows: readonly Row[]) => Promise<readonly (((field: string) => FieldValue) | null)[]>
  /** Whether the name of the relation is the id of the related row, which the row itself does not know. */
  readonly tellsId?: boolean
  /** Whether rows without a related row are left out, as the subgraph does: the relation is never null. */
  readonly isRequired?: boolean
}

/** The values of rows together with those of related rows, of which none is read that the list does not name. */
export interface RelatedValues<Row> {
  /**
   * Must have been called with a row before its values are asked for.
   * @returns the rows that have all required relations.
   */
  readonly load: (rows: readonly Row[]) => Promise<readonly Row[]>
  readonly valueOf: (row: Row, field: string) => FieldValue
}

export function createRelatedValues<Row extends object>(
  { condition, orderBy }: Pick<ListArguments, 'condition' | 'orderBy'>,
  own: (row: Row, field: string) => FieldValue,
  relations: Readonly<Record<string, Relation<Row>>>,
): RelatedValues<Row> {
  const fields = [orderBy, ...fieldsOf(condition)]
  const used = Object.entries(relations).filter(
    ([name, { tellsId = false, isRequired = false }]) =>
      isRequired || fields.some((field) => field.startsWith(`${name}.`) || (tellsId && field === name)),
  )
  const required = used.filter(([, { isRequired }]) => isRequired === true).map(([name]) => name)
  const found = new Map(used.map(([name]) => [name, new WeakMap<Row, (field: string) => FieldValue>()]))
  return {
    load: async (rows) => {
      for (const [name, { load }] of used) {
        const related = await load(rows)
        for (const [index, row] of rows.entries()) {
          const valueOf = related[index]
          if (valueOf != null) found.get(name)?.set(row, valueOf)
        }
      }
      return rows.filter((row) => required.every((name) => found.get(name)?.has(row) === true))
    },
    valueOf: (row, field) => {
      const [name = '', ...rest] = field.split('.')
      const relation = relations[name]
      if (relation === undefined || (rest.length === 0 && relation.tellsId !== true)) return own(row, field)
      return found.get(name)?.get(row)?.(rest.join('.') || 'id') ?? nullValue
    },
  }
}

/** The agent of a row. */
export function agentRelation<Row>(
  { agents }: Pick<Erc8004Context, 'agents'>,
  subjectOf: (row: Row) => LocalId,
): Relation<Row> {
  return {
    load: async (rows) =>
      (await loadAll(agents, rows.map(subjectOf))).map(
        (agent) => agent && ((field) => agentValue(agent, field)),
      ),
    isRequired: true,
  }
}
