import { type Hex, parseAddress } from '../../model/hex.ts'
import { parseLocalId, type LocalId } from '../../model/compositeId.ts'
import type { RowPlace } from '../../store/indexQueries.ts'
import type { StoredSchema } from '../../store/indexReader.ts'
import { attestationSource } from './attestationSource.ts'
import { attestationValue, type AttestationRow } from './attestationRows.ts'
import { isOneOf, type FieldValue } from '../protocolGraphql/condition.ts'
import { createMatcher } from '../protocolGraphql/matchCondition.ts'
import type { EasContext } from './easContext.ts'
import type { RowSource } from './rowSource.ts'

/** A name that an attestation under the schema "Name a Schema" gives to a schema, whoever made it. */
export interface SchemaNameRow {
  readonly place: RowPlace
  readonly attestation: AttestationRow
  readonly schemaId: LocalId
  readonly name: string
  /** The named schema, where it was asked for. */
  schema?: StoredSchema | null
}

/** The fields that are those of the attestation. */
const attestationFieldOf: Readonly<Record<string, string>> = {
  id: 'id',
  attesterAddress: 'attester',
  time: 'time',
}

const neededFields: ReadonlySet<string> = new Set(['data'])

/** The fields of the schema "Name a Schema". */
const nameFields = [
  { name: 'schemaId', type: 'bytes32' },
  { name: 'name', type: 'string' },
]

export const schemaNameSource: RowSource<SchemaNameRow> = {
  model: 'SchemaName',
  walkedFields: ['time'],
  furtherOrders: [],
  valueOf,

  async *walk(context, { condition, order, after, expected }) {
    const batches = attestationSource.walk(context, {
      condition: isOneOf('schemaId', [context.protocol.nameSchemaId]),
      order,
      after,
      fields: neededFields,
      expected,
    })
    const isMatch = createMatcher(
      condition,
      (row: SchemaNameRow, field) => valueOf(context, row, field),
      context.budget.compare,
    )
    for await (const batch of batches) {
      const rows = await Promise.all(batch.map((row) => readName(context, row)))
      yield rows.filter((row) => row !== null).filter(isMatch)
    }
  },

  async find(context, id, _fields, needsPlace) {
    const row = await attestationSource.find(context, id, neededFields, needsPlace)
    const isName =
      row !== null && attestationValue(context, row, 'schemaId') === context.protocol.nameSchemaId
    return isName ? await readName(context, row) : null
  },

  count: () => Promise.resolve(null),
}

async function readName(context: EasContext, attestation: AttestationRow): Promise<SchemaNameRow | null> {
  const payload = context.decodePayload({
    protocol: context.protocol.name,
    fields: nameFields,
    data: attestationValue(context, attestation, 'data') as Hex,
    dataLocation: 'ONCHAIN',
  })
  if (payload.kind !== 'decoded') return null
  const [named, name] = payload.values.map(({ value }) => value)
  const schemaId = typeof named === 'string' ? parseLocalId(named) : null
  if (schemaId === null || typeof name !== 'string') return null
  const { place } = attestation
  return { place, attestation, schemaId, name, schema: await context.schemas.load(schemaId) }
}

function valueOf(context: EasContext, row: SchemaNameRow, field: string): FieldValue {
  const { attestation, schemaId, name, schema } = row
  const own = attestationFieldOf[field]
  if (own !== undefined) return attestationValue(context, attestation, own)
  switch (field) {
    case 'schemaId':
      return schemaId
    case 'name':
      return name
    case 'isCreator': {
      const creator = schema == null ? null : (schema.transactionSender ?? schema.registrant)
      const attester = parseAddress(String(attestationValue(context, attestation, 'attester')))
      return creator !== null && attester !== null && creator === attester
    }
    default:
      throw new TypeError(`a schema name has no field ${field}`)
  }
}
