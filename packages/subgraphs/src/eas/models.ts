import type { FieldKind } from '../protocolGraphql/condition.ts'

export interface ModelShape {
  /** The scalar fields, in the order of easscan's interface. */
  readonly fields: Readonly<Record<string, FieldKind>>
  /** Fields that lead to other models. */
  readonly relations: Readonly<Record<string, { readonly model: ModelName; readonly isList: boolean }>>
  /** The roots for one row by its id, and for many. */
  readonly one: string
  readonly many: string
  /** The field that names a row, which `where` of one row and `cursor` take. */
  readonly id: string
}

/**
 * The models of easscan and of its self-hosted indexer. GraphQL types and inputs are generated from them, under the
 * names that their generator gives, because operations and generated code of clients hold these names.
 */
export const models = {
  Attestation: {
    fields: {
      id: 'hex',
      data: 'hex',
      decodedDataJson: 'text',
      recipient: 'hex',
      attester: 'hex',
      time: 'int',
      timeCreated: 'int',
      expirationTime: 'int',
      revocationTime: 'int',
      refUID: 'hex',
      revocable: 'bool',
      revoked: 'bool',
      txid: 'hex',
      schemaId: 'hex',
      ipfsHash: 'text',
      isOffchain: 'bool',
    },
    relations: { schema: { model: 'Schema', isList: false } },
    one: 'attestation',
    many: 'attestations',
    id: 'id',
  },
  Schema: {
    fields: {
      id: 'hex',
      schema: 'text',
      creator: 'hex',
      resolver: 'hex',
      revocable: 'bool',
      index: 'text',
      txid: 'hex',
      time: 'int',
    },
    relations: {
      attestations: { model: 'Attestation', isList: true },
      schemaNames: { model: 'SchemaName', isList: true },
    },
    one: 'schema',
    many: 'schemata',
    id: 'id',
  },
  SchemaName: {
    fields: {
      id: 'hex',
      schemaId: 'hex',
      attesterAddress: 'hex',
      name: 'text',
      time: 'int',
      isCreator: 'bool',
    },
    relations: { schema: { model: 'Schema', isList: false } },
    one: 'schemaName',
    many: 'schemaNames',
    id: 'id',
  },
  OffchainRevocation: {
    fields: { id: 'hex', from: 'hex', uid: 'hex', txid: 'hex', timestamp: 'int' },
    relations: {},
    one: 'offchainRevocation',
    many: 'offchainRevocations',
    id: 'id',
  },
  Timestamp: {
    fields: { id: 'hex', from: 'hex', txid: 'hex', tree: 'text', timestamp: 'int' },
    relations: {},
    one: 'timestamp',
    many: 'timestamps',
    id: 'id',
  },
  EnsName: {
    fields: { id: 'hex', name: 'text', timestamp: 'int' },
    relations: {},
    one: 'ensName',
    many: 'ensNames',
    id: 'id',
  },
} as const satisfies Readonly<Record<string, ModelShape>>

export type ModelName =
  | 'Attestation'
  | 'Schema'
  | 'SchemaName'
  | 'OffchainRevocation'
  | 'Timestamp'
  | 'EnsName'

export const modelNames = Object.keys(models) as readonly ModelName[]

export function shapeOf(model: ModelName): ModelShape {
  return models[model]
}

/** The kind of a field of a model. */
export function kindOf(model: ModelName, field: string): FieldKind {
  const kind = shapeOf(model).fields[field]
  if (kind === undefined) throw new TypeError(`${model} has no scalar field ${field}`)
  return kind
}
