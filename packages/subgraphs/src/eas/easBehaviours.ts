import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import {
  rememberSelections,
  type FieldBehaviour,
  type FieldInfo,
  type TypeBehaviour,
} from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import { plainFields, relatedList, rootBehaviours } from '../engine/prisma/behaviours.ts'
import { offchainRevocationEntity, timestampEntity } from './anchors.ts'
import { attestationEntity, type AttestationRow } from './attestations.ts'
import type { EasContext } from './easContext.ts'
import { ensNameEntity } from './ensNames.ts'
import { easEntities } from './entities.ts'
import { schemaNameEntity, type SchemaNameRow } from './schemaNames.ts'
import { schemaEntity, schemaFields, schemaIndex, type SchemaNode } from './schemas.ts'

type Behaviour<Source> = FieldBehaviour<Source, EasContext>

/** The values of a schema that attestations name and that is not indexed: no field may be null. */
const unknownSchema: Readonly<Record<string, string | number | boolean>> = {
  schema: '',
  creator: zeroAddress,
  resolver: zeroAddress,
  revocable: false,
  txid: '',
  time: 0,
}

const [attestations, schemaNames] = ['attestations', 'schemaNames'].map((relation) =>
  relatedList(easEntities, schemaEntity, relation, ({ id }: SchemaNode) => id),
) as [SchemaList, SchemaList]

type SchemaList = ReturnType<typeof relatedList<SchemaNode, EasContext>>

export const easBehaviours: Readonly<Record<string, TypeBehaviour<never, EasContext>>> = {
  Query: rootBehaviours(easEntities),
  Attestation: attestationBehaviours(),
  Schema: schemaBehaviours(),
  SchemaCount: {
    attestations: (node: SchemaNode, values, context, info) =>
      values['where'] == null && node.stored != null
        ? node.stored.attestationCount
        : attestations.count(node, values, context, info),
    schemaNames: schemaNames.count,
  },
  SchemaName: {
    ...plainFields(schemaNameEntity),
    schema: ({ schemaId }: SchemaNameRow, _values, context, info) => schemaNode(schemaId, context, info),
  },
  OffchainRevocation: plainFields(offchainRevocationEntity),
  Timestamp: plainFields(timestampEntity),
  EnsName: plainFields(ensNameEntity),
}

function attestationBehaviours(): TypeBehaviour<AttestationRow, EasContext> {
  const { fields, valueOf } = attestationEntity
  const written = Object.keys(fields).map((field): [string, Behaviour<AttestationRow>] => [
    field,
    // Values of these fields are texts without anything to escape, or no texts.
    { writeJson: (row, context) => JSON.stringify(valueOf(context, row, field)) },
  ])
  const withSchema =
    (field: string): Behaviour<AttestationRow> =>
    async (row, _values, context) => {
      if (row.schema === undefined) row.schema = await context.schemas.load(row.stored.schemaId)
      const value = valueOf(context, row, field)
      if (typeof value === 'string') context.budget.write(value.length)
      return value
    }
  return {
    ...Object.fromEntries(written),
    data: (row, _values, context) => {
      const data = String(valueOf(context, row, 'data'))
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

function schemaBehaviours(): TypeBehaviour<SchemaNode, EasContext> {
  const own = Object.entries(unknownSchema).map(([field, unknown]): [string, Behaviour<SchemaNode>] => [
    field,
    ({ stored }, _values, context) =>
      stored == null ? unknown : schemaFields[field]?.value({ stored }, context),
  ])
  return {
    ...Object.fromEntries(own),
    index: ({ stored }, _values, context) => (stored == null ? '' : schemaIndex(context, stored)),
    attestations: attestations.list,
    schemaNames: schemaNames.list,
    _count: (node) => node,
  }
}
