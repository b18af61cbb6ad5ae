import { contentStates } from '@attestry/core/model/knownContent.ts'
import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox'

/**
 * The payloads of docs/api.md, "Members", as TypeBox schemas: they are the types of what endpoints answer and describe
 * answers in the OpenAPI document. Tests check every answer against them.
 */

/** The type of answers that a schema describes. */
export type Shown<Schema extends TSchema> = Immutable<Static<Schema>>

type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Member in keyof Value]: Immutable<Value[Member]> }
    : Value

export const compositeId = (of: string) =>
  Type.String({ pattern: '^onchain_evm_[0-9]+_0x[0-9a-f]+$', description: `Composite id of the ${of}.` })
export const address = (description: string) => Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description })
export const hash = (description: string) => Type.String({ pattern: '^0x[0-9a-f]{64}$', description })
export const digits = (description: string) => Type.String({ pattern: '^[0-9]+$', description })
export const count = (description: string) => Type.Integer({ minimum: 0, description })

/** The schema, or null. @param description that of the schema by default. */
export const orNull = <Schema extends TSchema>(schema: Schema, description = descriptionOf(schema)) =>
  Type.Union([schema, Type.Null()], { description })

/** A TypeBox schema is a JSON Schema; its static type hides the keywords. */
function descriptionOf(schema: TSchema): string {
  return (schema as { readonly description?: string }).description ?? ''
}

/**
 * An object with exactly these members.
 * @param name the name of its type in clients: that of a component of the OpenAPI document. Without one, the document has
 * it where it is used.
 */
export function exactly<const Properties extends TProperties>(
  properties: Properties,
  description: string,
  name?: string,
): TObject<Properties> {
  const title = name === undefined ? {} : { title: name }
  return Type.Object(properties, { additionalProperties: false, description, ...title })
}

/** The name of a list of rows, by that of a row; undefined if the rows have none. */
function listName(kind: string, row: { readonly title?: unknown }): string | undefined {
  return typeof row.title === 'string' ? `${kind}${row.title}` : undefined
}

export const fields = Type.Array(
  exactly(
    {
      name: Type.String({ description: 'Empty if the schema has no name for the field.' }),
      type: Type.String({ description: 'In the spelling of the schema.' }),
    },
    'One field of an attestation.',
    'SchemaField',
  ),
  {
    description: 'The fields of attestations under the schema; empty if its text has no known form.',
  },
)

const chainMembers = {
  mode: Type.Literal('onchain', { description: 'Where the record lives.' }),
  chainType: Type.Literal('evm', { description: 'The kind of chain.' }),
  chainId: digits('Decimal number of the chain.'),
}

const schemaName = Type.String({ description: 'May be empty.' })
const schemaDescription = Type.String({ description: 'May be empty.' })
const schemaLocalId = Type.String({ pattern: '^0x[0-9a-f]+$', description: 'Local id of the schema.' })
const transactionHash = hash('Transaction that created the record.')
const attestationCount = count('Attestations ever made under the schema, revoked ones too.')

export const knownName = {
  name: Type.String({ description: 'What people call it.' }),
  link: orNull(Type.String(), 'A page about it; null without one.'),
  source: Type.String({ description: 'Who gives the name; `ens` for ENS.' }),
}

/** The member that `include=names` adds to a record. */
export const includedNames = {
  names: Type.Optional(
    Type.Record(Type.String(), exactly(knownName, 'A name.', 'KnownName'), {
      description:
        'With `include=names`: what the operator and ENS call the addresses of the record, and its schema by its composite id.',
    }),
  ),
}

/** The members that `include` adds to any record. */
const includedBeside = {
  ...includedNames,
  protocol: Type.Optional(
    Type.String({ description: 'With `include=protocol`: the protocol; protocols may share an id.' }),
  ),
}

export const schemaSummary = {
  id: compositeId('schema'),
  ...chainMembers,
  name: schemaName,
  description: schemaDescription,
  registrant: address('Account that registered the schema.'),
  schemaId: schemaLocalId,
  transactionHash,
}

export const rankedSchema = exactly(
  { ...schemaSummary, attestationCount, ...includedBeside },
  'A schema in a ranking.',
  'RankedSchema',
)

export const schemaRow = exactly(
  {
    ...schemaSummary,
    attestationCount,
    attesterCount: count('Distinct attesters of these attestations.'),
    data: fields,
    ...includedBeside,
  },
  'A schema in a listing.',
  'Schema',
)

export const revocable = Type.Boolean({
  description: 'Whether attestations under the schema can be revoked.',
})

export const singleSchema = exactly(
  {
    ...schemaSummary,
    registerTimestamp: Type.Integer({ description: 'Time of the registration, in Unix seconds.' }),
    revocable,
    maxValidFor: Type.Number({
      minimum: 0,
      description:
        'The longest validity of an attestation in seconds, 0 without limit; the double nearest to the uint64.',
    }),
    context: Type.Optional(
      Type.String({
        description: 'What the schema refers to for its meaning, often a URL; Verax alone has contexts.',
      }),
    ),
    data: fields,
    ...includedBeside,
  },
  'A schema.',
  'SchemaDetail',
)

const syncAt = digits('When the record was indexed, in Unix milliseconds.')

export const registeredSchema = exactly(
  {
    ...schemaSummary,
    revocable,
    maxValidFor: digits('Seconds that an attestation may stay valid, 0 for ever; a uint64.'),
    resolver: address('Contract that is called at each attestation; all zeros without one.'),
    registerTimestamp: digits('Time of the registration, in Unix seconds.'),
    data: fields,
    extra: Type.Null({ description: 'Always this value.' }),
    syncAt,
    ...includedBeside,
  },
  'A schema that the address registered.',
  'RegisteredSchema',
)

const attester = address('Account that attests.')
const recipients = Type.Array(Type.String(), {
  description: 'Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal.',
})
const attestationLocalId = Type.String({
  pattern: '^0x[0-9a-f]+$',
  description: 'Local id of the attestation.',
})

/** A decoded payload. */
export const namedValues = (description: string) =>
  Type.Array(
    exactly(
      {
        name: Type.String({ description: 'Name of the field in the schema.' }),
        type: Type.String({ description: 'In the spelling of the schema.' }),
        value: Type.Unsafe<unknown>({
          description:
            'Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.',
          examples: ['42'],
        }),
      },
      'The value of a field.',
      'DecodedValue',
    ),
    { description },
  )

export const decodedValues = (description: string) => orNull(namedValues(description), description)

/** The members that `include` adds to an attestation. */
const includedMembers = {
  decodedData: Type.Optional(
    decodedValues(
      'With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded.',
    ),
  ),
  decodedDataError: Type.Optional(
    orNull(Type.String(), 'With `include=decoded`: the reason why `decodedData` is null; otherwise null.'),
  ),
  content: Type.Optional(
    orNull(
      exactly(
        {
          state: Type.Enum([...contentStates], { description: 'What is known of the content.' }),
          sentence: Type.String({ description: 'Why; empty where the state says all.' }),
          pointer: Type.String({ description: 'What the record names.' }),
          json: Type.Unsafe<unknown>({
            description: 'The content as JSON; null unless it is there.',
            examples: [{}],
          }),
        },
        'The content behind the pointer of a record.',
        'Content',
      ),
      'With `include=content`: what the record names; null where the payload is on chain.',
    ),
  ),
  ...includedBeside,
}

export const attestationSummary = {
  id: compositeId('attestation'),
  ...chainMembers,
  attestationId: attestationLocalId,
  schemaId: schemaLocalId,
  attester,
  attestTimestamp: digits('When it was made, in Unix seconds.'),
  recipients,
}

const schemaIdentity = { id: compositeId('schema'), schemaId: schemaLocalId, name: schemaName }

export const attestationRow = exactly(
  { ...attestationSummary, ...includedMembers },
  'An attestation in a listing.',
  'Attestation',
)

export const latestAttestation = exactly(
  { ...attestationSummary, schema: exactly(schemaIdentity, 'Its schema.'), ...includedBeside },
  'One of the newest attestations.',
  'LatestAttestation',
)

export const detailedAttestationRow = exactly(
  {
    ...attestationSummary,
    schema: exactly(
      { ...schemaIdentity, chainType: chainMembers.chainType, chainId: chainMembers.chainId },
      'Its schema.',
    ),
    ...includedMembers,
  },
  'An attestation in a listing with `fields=detail`.',
  'AttestationWithSchema',
)

export const attestationDetail = {
  ...attestationSummary,
  transactionHash,
  indexingValue: Type.String({ description: 'The indexing value, unchanged; may be empty.' }),
  fullSchemaId: compositeId('schema'),
  linkedAttestation: Type.String({
    pattern: '^(onchain_evm_[0-9]+_0x[0-9a-f]+)?$',
    description: 'Composite id of the attestation that this one refers to; empty without one.',
  }),
  portal: Type.Optional(address('The portal that it was made through; Verax alone has portals.')),
  portalName: Type.Optional(
    Type.String({ description: 'The name of the portal; empty where it is not known.' }),
  ),
  portalOwner: Type.Optional(
    orNull(
      address('The account that registered the portal.'),
      'The account that registered the portal; null where it is not known.',
    ),
  ),
  portalOwnerName: Type.Optional(
    Type.String({ description: 'The name of the owner; empty where it is not known.' }),
  ),
  validUntil: digits('Until when it is valid, in Unix seconds; 0: for ever; a uint64.'),
  revoked: Type.Boolean({ description: 'Whether it was revoked.' }),
  revokeTimestamp: orNull(digits('Unix seconds.'), 'Time of the revocation; null unless revoked.'),
  revokeReason: orNull(Type.String(), 'Reason of the revocation, empty without one; null unless revoked.'),
  revokeTransactionHash: Type.String({
    pattern: '^(0x[0-9a-f]{64})?$',
    description: 'Transaction of the revocation; empty unless revoked.',
  }),
  data: Type.String({ pattern: '^0x([0-9a-f]{2})*$', description: 'The payload; `0x` if empty.' }),
  dataLocation: Type.Enum(['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM'], {
    description: 'Where the payload is kept.',
  }),
}

export const singleAttestation = exactly(
  {
    ...attestationDetail,
    schema: exactly({ ...schemaIdentity, data: fields }, 'Its schema.'),
    ...includedMembers,
  },
  'An attestation.',
  'AttestationDetail',
)

/** The member `from` of a record. */
export const transactionSender = Type.String({
  pattern: '^(0x[0-9a-fA-F]{40})?$',
  description: 'Sender of the transaction; empty unless the chain is configured to fetch it.',
})

export const attestationOfAddress = exactly(
  {
    ...attestationDetail,
    from: transactionSender,
    isSender: Type.Boolean({ description: 'Whether the address made it.' }),
    isReceiver: Type.Boolean({ description: 'Whether the address is a recipient.' }),
    extra: Type.Literal('{}', { description: 'Always this value.' }),
    syncAt,
    lastSyncAt: orNull(
      digits('Unix milliseconds.'),
      'When the indexer last changed the record (a revocation); null if it never did.',
    ),
    schema: exactly({ ...schemaIdentity, description: schemaDescription }, 'Its schema.'),
    ...includedMembers,
  },
  'An attestation that the address made or received.',
  'AttestationOfAddress',
)

export const addressStatistics = exactly(
  {
    schemaCreated: count('Schemas that the address registered.'),
    totalAttestations: count('Distinct attestations that the address made or received.'),
    attestationCreated: count('Attestations that the address made.'),
    attestationReceived: count('Attestations that the address received.'),
    ...includedNames,
  },
  'The numbers of an address.',
  'AddressStatistics',
)

export const foundSchema = exactly(
  {
    id: compositeId('schema'),
    ...chainMembers,
    schemaId: schemaLocalId,
    name: schemaName,
    description: schemaDescription,
    registrant: schemaSummary.registrant,
    ...includedBeside,
  },
  'A schema in the results of a search.',
  'FoundSchema',
)

export const foundAttestation = exactly(
  {
    id: compositeId('attestation'),
    chainType: chainMembers.chainType,
    chainId: chainMembers.chainId,
    attestationId: attestationLocalId,
    attester,
    recipients,
    ...includedBeside,
  },
  'An attestation in the results of a search.',
  'FoundAttestation',
)

export const foundAddress = exactly(
  {
    address: address('The address.'),
    schemaCreated: count('Schemas that the address registered.'),
    attestationCreated: count('Attestations that the address made.'),
    attestationReceived: count('Attestations that the address received.'),
    ...includedNames,
  },
  'An address in the results of a search.',
  'FoundAddress',
)

export const foundValue = exactly(
  {
    id: compositeId('schema'),
    ...chainMembers,
    schemaId: schemaLocalId,
    name: schemaName,
    field: Type.String({ description: 'The field of the schema, as filters name it.' }),
    value: Type.String({ description: 'The value, as decoded payloads have it.' }),
    attestationCount: count('Attestations with this value, valid or not.'),
    ...includedBeside,
  },
  'A value of a field in the results of a search.',
  'FoundValue',
)

/** A list without pages. */
export function rowsOf<Row extends TSchema>(row: Row, rowsMax: number) {
  return exactly(
    { rows: Type.Array(row, { maxItems: rowsMax, description: 'The rows, best first.' }) },
    'A list.',
    listName('List', row),
  )
}

/** A page of a listing (docs/api.md, "Paging"). */
export function pageOf<Row extends TSchema>(row: Row) {
  return exactly(pageMembers(row), 'A page.', listName('Page', row))
}

export function pageMembers<Row extends TSchema>(row: Row) {
  return {
    total: count('All matches, on all pages.'),
    rows: Type.Array(row, { maxItems: 100, description: 'The rows of this page.' }),
    page: Type.Integer({ minimum: 1, description: 'Number of this page.' }),
    size: Type.Integer({ minimum: 1, maximum: 100, description: 'Rows on a page.' }),
  }
}

/** A step of a walk through a listing by cursor. */
export function stepOf<Row extends TSchema>(row: Row) {
  return exactly(
    {
      rows: Type.Array(row, { maxItems: 100, description: 'The next rows; there may be fewer than `size`.' }),
      size: Type.Integer({ minimum: 1, maximum: 100, description: 'Most rows of a step.' }),
      nextCursor: Type.Union([Type.String({ pattern: '^[A-Za-z0-9_-]+$' }), Type.Null()], {
        description: 'The `cursor` of the next step; null at the end.',
        examples: ['MTcxODAwMDAwMC4xMTE1NTExMS4xMDQ4NTc2'],
      }),
    },
    'A step of a walk: the answer to a request with `cursor`.',
    listName('Step', row),
  )
}

/** The records of `ids`, in their order. */
export function recordsOf<Row extends TSchema>(row: Row) {
  return exactly(
    {
      rows: Type.Array(Type.Union([row, Type.Null()]), {
        maxItems: 100,
        description: 'One for each id, in the order of the ids; null for an id that is not indexed.',
      }),
    },
    'The records of a list of ids.',
    listName('Records', row),
  )
}
