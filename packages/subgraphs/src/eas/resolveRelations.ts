import { attestationSource } from './attestationSource.ts'
import {
  isOneOf,
  type Condition,
  type FieldValue,
  type RelationCondition,
} from '../protocolGraphql/condition.ts'
import type { EasContext } from './easContext.ts'
import type { ModelName } from './models.ts'
import type { PlacedRow, RowSource } from './rowSource.ts'
import { schemaNameSource } from './schemaNameSource.ts'
import { schemaSource } from './schemaSource.ts'

/**
 * A condition without relations: each becomes the list of schemas that its rows belong to, since every relation leads
 * from or to a schema. The related rows are read first, within the budget of the request.
 */
export async function resolveRelations(
  context: EasContext,
  model: ModelName,
  condition: Condition,
): Promise<Condition> {
  switch (condition.kind) {
    case 'field':
      return condition
    case 'not':
      return { kind: 'not', of: await resolveRelations(context, model, condition.of) }
    case 'relation':
      return isOneOf(model === 'Schema' ? 'id' : 'schemaId', await listSchemaIds(context, condition))
    default: {
      const of: Condition[] = []
      for (const part of condition.of) of.push(await resolveRelations(context, model, part))
      return { kind: condition.kind, of }
    }
  }
}

async function listSchemaIds(
  context: EasContext,
  { model, of }: RelationCondition,
): Promise<ReadonlySet<FieldValue>> {
  // `readWhere` made the condition of the model's relations.
  const condition = await resolveRelations(context, model as ModelName, of)
  switch (model) {
    case 'Attestation':
      return await collect(attestationSource, context, condition, 'schemaId')
    case 'SchemaName':
      return await collect(schemaNameSource, context, condition, 'schemaId')
    default:
      return await collect(schemaSource, context, condition, 'id')
  }
}

async function collect<Row extends PlacedRow>(
  source: RowSource<Row>,
  context: EasContext,
  condition: Condition,
  field: string,
): Promise<ReadonlySet<FieldValue>> {
  const values = new Set<FieldValue>()
  const fields = new Set([field])
  const request = { condition, order: 'newestFirst', after: null, fields, expected: null } as const
  for await (const rows of source.walk(context, request)) {
    for (const row of rows) values.add(source.valueOf(context, row, field))
  }
  return values
}
