import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { ArgumentValues } from '@attestry/server/graphql/execution/plan.ts'
import {
  rememberSelections,
  type FieldBehaviour,
  type FieldInfo,
  type TypeBehaviour,
} from '@attestry/server/graphql/fields/fieldBehaviour.ts'
import { offchainRevocationSource, timestampSource } from './anchorSource.ts'
import { aggregateRows, countRows, groupRows } from './aggregateRows.ts'
import { attestationValue, type AttestationRow } from './attestationRows.ts'
import { attestationSource } from './attestationSource.ts'
import { allOf, isOneOf } from '../protocolGraphql/condition.ts'
import type { EasContext } from './easContext.ts'
import { ensNameSource } from './ensNameSource.ts'
import { readListArguments, readUniqueId } from './listArguments.ts'
import { listRows } from './listRows.ts'
import { shapeOf, type ModelName } from './models.ts'
import type { PlacedRow, RowSource } from './rowSource.ts'
import { schemaNameSource, type SchemaNameRow } from './schemaNameSource.ts'
import { schemaIndex, schemaValue } from './schemaRows.ts'
import { schemaSource } from './schemaSource.ts'

type Behaviour<Source> = FieldBehaviour<Source, EasContext>

/** A schema in a query. A schema that is not indexed has an id alone, and empty values. */
interface SchemaNode {
  readonly id: LocalId
  /** Absent where nothing but the id is asked for. */
  readonly stored?: StoredSchema | null
}

/** The values of a schema that attestations name and that is not indexed: no field may be null. */
const unknownSchema: Readonly<Record<string, string | number | boolean>> = {
  schema: '',
  creator: zeroAddress,
  resolver: zeroAddress,
  revocable: false,
  txid: '',
  time: 0,
}

/** The rows of `attestations` at the root without `take`, as on easscan. All other lists are whole. */
const takeDefault = 100

export const easBehaviours: Readonly<Record<string, TypeBehaviour<never, EasContext>>> = {
  Query: {
    ...rootsOf(attestationSource, (row) => row),
    ...rootsOf(schemaSource, ({ stored }): SchemaNode => ({ id: stored.key.localId, stored })),
    ...rootsOf(schemaNameSource, (row) => row),
    ...rootsOf(offchainRevocationSource, (row) => row),
    ...rootsOf(timestampSource, (row) => row),
    ...rootsOf(ensNameSource, (row) => row),
  },
  Attestation: attestationFields(),
  Schema: schemaFields(),
  SchemaCount: {
    attestations: ({ id, stored }: SchemaNode, values, context) =>
      values['where'] == null && stored != null
        ? stored.attestationCount
        : countRows(attestationSource, context, listOf('Attestation', id, values)),
    schemaNames: ({ id }: SchemaNode, values, context) =>
      countRows(schemaNameSource, context, listOf('SchemaName', id, values)),
  },
  SchemaName: schemaNameFields(),
  OffchainRevocation: plainFields(offchainRevocationSource),
  Timestamp: plainFields(timestampSource),
  EnsName: plainFields(ensNameSource),
}

function rootsOf<Row extends PlacedRow>(
  source: RowSource<Row>,
  nodeOf: (row: Row) => unknown,
): Record<string, Behaviour<unknown>> {
  const { model } = source
  const { one, many } = shapeOf(model)
  const selectedFields = selectionOf(model)
  const unique: Behaviour<unknown> = async (_root, values, context, info) => {
    const row = await source.find(context, readUniqueId(values), selectedFields(info), false)
    return row === null ? null : nodeOf(row)
  }
  const findFirst = async (values: ArgumentValues, context: EasContext, info: FieldInfo) => {
    const take = Number(values['take'] ?? 1) < 0 ? -1 : 1
    const list = readListArguments(model, { ...values, take }, null)
    const [row] = await listRows(source, context, list, selectedFields(info))
    return row === undefined ? null : nodeOf(row)
  }
  return {
    [one]: unique,
    [`get${model}`]: unique,
    [many]: async (_root, values, context, info) => {
      const list = readListArguments(model, values, model === 'Attestation' ? takeDefault : null)
      return (await listRows(source, context, list, selectedFields(info))).map(nodeOf)
    },
    [`findFirst${model}`]: (_root, values, context, info) => findFirst(values, context, info),
    [`findFirst${model}OrThrow`]: async (_root, values, context, info) => {
      const found = await findFirst(values, context, info)
      if (found === null)
        throw new BadParameterError(`No ${model} matches where; findFirst${model} answers null then.`)
      return found
    },
    [`aggregate${model}`]: (_root, values, context, info) =>
      aggregateRows(source, context, readListArguments(model, values, null), info),
    [`groupBy${model}`]: (_root, values, context, info) => groupRows(source, context, values, info),
  }
}

/** The scalar fields of a model that are selected anywhere below a field. */
function selectionOf(model: ModelName): (info: FieldInfo) => ReadonlySet<string> {
  const { fields } = shapeOf(model)
  const prefix = `${model}.`
  return rememberSelections((below) => {
    if (below === null) return new Set(Object.keys(fields))
    const selected = new Set<string>()
    for (const name of below) {
      const field = name.startsWith(prefix) ? name.slice(prefix.length) : null
      if (field !== null && fields[field] !== undefined) selected.add(field)
    }
    return selected
  })
}

/** The arguments of a list of rows that belong to a schema. */
function listOf(model: 'Attestation' | 'SchemaName', schemaId: LocalId, values: ArgumentValues) {
  const list = readListArguments(model, values, null)
  return { ...list, condition: allOf(isOneOf('schemaId', [schemaId]), list.condition) }
}

function attestationFields(): TypeBehaviour<AttestationRow, EasContext> {
  const fields: Record<string, Behaviour<AttestationRow>> = {}
  for (const field of Object.keys(shapeOf('Attestation').fields)) {
    // Values of these fields are texts without anything to escape, or no texts.
    fields[field] = { writeJson: (row, context) => JSON.stringify(attestationValue(context, row, field)) }
  }
  const withSchema =
    (field: string): Behaviour<AttestationRow> =>
    async (row, _values, context) => {
      if (row.schema === undefined) row.schema = await context.schemas.load(row.stored.schemaId)
      const value = attestationValue(context, row, field)
      if (typeof value === 'string') context.budget.write(value.length)
      return value
    }
  return {
    ...fields,
    data: (row, _values, context) => {
      const data = String(attestationValue(context, row, 'data'))
      context.budget.write(data.length)
      return data
    },
    decodedDataJson: withSchema('decodedDataJson'),
    revocable: withSchema('revocable'),
    schema: (row, _values, context, info) => schemaNode(row.stored.schemaId, context, info),
  }
}

function schemaNode(id: LocalId, context: EasContext, info: FieldInfo): SchemaNode | Promise<SchemaNode> {
  return asksForIdOnly(info) ? { id } : context.schemas.load(id).then((stored) => ({ id, stored }))
}

const asksForIdOnly = rememberSelections(
  (below) =>
    below !== null && [...below].every((name) => name === 'Schema.id' || name === 'Schema.__typename'),
)

function schemaFields(): TypeBehaviour<SchemaNode, EasContext> {
  const selectedAttestationFields = selectionOf('Attestation')
  const selectedNameFields = selectionOf('SchemaName')
  const fields: Record<string, Behaviour<SchemaNode>> = {}
  for (const field of Object.keys(unknownSchema)) {
    fields[field] = ({ stored }) => (stored == null ? unknownSchema[field] : schemaValue(stored, field, ''))
  }
  return {
    ...fields,
    index: ({ stored }, _values, context) => (stored == null ? '' : schemaIndex(context, stored)),
    attestations: ({ id }, values, context, info) =>
      listRows(
        attestationSource,
        context,
        listOf('Attestation', id, values),
        selectedAttestationFields(info),
      ),
    schemaNames: ({ id }, values, context, info) =>
      listRows(schemaNameSource, context, listOf('SchemaName', id, values), selectedNameFields(info)),
    _count: (node) => node,
  }
}

function schemaNameFields(): TypeBehaviour<SchemaNameRow, EasContext> {
  return {
    ...plainFields(schemaNameSource),
    schema: ({ schemaId }, _values, context, info) => schemaNode(schemaId, context, info),
  }
}

/** The scalar fields of rows that need nothing further. */
function plainFields<Row extends PlacedRow>(source: RowSource<Row>): TypeBehaviour<Row, EasContext> {
  return Object.fromEntries(
    Object.keys(shapeOf(source.model).fields).map((field): [string, Behaviour<Row>] => [
      field,
      (row, _values, context) => source.valueOf(context, row, field),
    ]),
  )
}
