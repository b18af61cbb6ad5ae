import type { ExpectedAttestation, ExpectedIndex, ExpectedSchema } from '../scenarios/expectedIndex.ts'

/**
 * The answers that the REST API must give about a chain whose records are known: the rules of docs/api.md in their
 * plainest form, which scans all records for each answer. Shares no code with the program under test. Rows lack
 * `syncAt` and `lastSyncAt`, which depend on the machine.
 */
export interface ExpectedAnswers {
  /** Newest first. */
  readonly schemas: readonly ChainSchema[]
  /** Newest first. */
  readonly attestations: readonly ChainAttestation[]
  /** Every address that is a registrant, attester or recipient. */
  readonly addresses: readonly string[]
  attestationsOf(schema: ChainSchema): readonly ChainAttestation[]
  schemaOf(attestation: ChainAttestation): ChainSchema
  statistics(address: string): Statistics
  top(): readonly ChainSchema[]
  trending(): readonly ChainSchema[]
}

export type ChainSchema = ExpectedSchema & { readonly chainId: number }
export type ChainAttestation = ExpectedAttestation & { readonly chainId: number }
export type Row = Readonly<Record<string, unknown>>

export interface Statistics {
  readonly schemaCreated: number
  readonly totalAttestations: number
  readonly attestationCreated: number
  readonly attestationReceived: number
}

export function createExpectedAnswers(indexes: readonly ExpectedIndex[]): ExpectedAnswers {
  const schemas = indexes
    .flatMap(({ chainId, schemas: list }) => list.map((schema) => ({ ...schema, chainId })))
    .sort((a, b) => b.registerTimestamp - a.registerTimestamp || -byPlace(a, b))
  const attestations = indexes
    .flatMap(({ chainId, attestations: list }) => list.map((attestation) => ({ ...attestation, chainId })))
    .sort((a, b) => b.attestTimestamp - a.attestTimestamp || -byPlace(a, b))
  const attestationsOf = (schema: ChainSchema): readonly ChainAttestation[] =>
    attestations.filter(({ fullSchemaId }) => fullSchemaId === schema.id)

  function byRank(a: ChainSchema, b: ChainSchema): number {
    return (
      attestationsOf(b).length - attestationsOf(a).length ||
      a.registerTimestamp - b.registerTimestamp ||
      byPlace(a, b)
    )
  }

  function score(schema: ChainSchema): number {
    const newest = Math.max(...attestations.map((attestation) => hourOf(attestation)))
    let sum = 0
    for (let h = 0; h <= 167; h++) {
      const made = attestationsOf(schema).filter((attestation) => hourOf(attestation) === newest - h).length
      sum += Math.log(1 + made) * 2 ** (-h / 24)
    }
    return sum
  }

  return {
    schemas,
    attestations,
    attestationsOf,
    addresses: [
      ...new Set([
        ...schemas.map(({ registrant }) => registrant),
        ...attestations.flatMap((attestation) => [attestation.attester, ...recipientAddresses(attestation)]),
      ]),
    ],
    schemaOf: ({ fullSchemaId }) => {
      const schema = schemas.find(({ id }) => id === fullSchemaId)
      if (schema === undefined) throw new Error(`nothing was sent that is called ${fullSchemaId}`)
      return schema
    },
    statistics: (address) => {
      const created = attestations.filter(({ attester }) => attester === address)
      const received = attestations.filter((attestation) => recipientAddresses(attestation).includes(address))
      return {
        schemaCreated: schemas.filter(({ registrant }) => registrant === address).length,
        totalAttestations: new Set([...created, ...received]).size,
        attestationCreated: created.length,
        attestationReceived: received.length,
      }
    },
    top: () => [...schemas].sort(byRank).slice(0, 10),
    trending: () => {
      const scored = schemas.map((schema) => ({ schema, value: score(schema) }))
      // Sums of floating-point numbers depend on their order in the last bits; such sums count as equal.
      const differ = (a: number, b: number): boolean => Math.abs(a - b) > 1e-9
      return scored
        .filter(({ value }) => value > 0)
        .sort((a, b) => (differ(a.value, b.value) ? b.value - a.value : byRank(a.schema, b.schema)))
        .slice(0, 10)
        .map(({ schema }) => schema)
    },
  }
}

/** The recipients that are addresses, each once. */
export function recipientAddresses({ recipients }: ChainAttestation): readonly string[] {
  return [...new Set(recipients.filter((recipient) => /^0x[0-9a-f]{40}$/i.test(recipient)))]
}

/** #2, #3: a row of top and trending. */
export function rankedSchemaRow(schema: ChainSchema, answers: ExpectedAnswers): Row {
  return { ...schemaSummary(schema), attestationCount: answers.attestationsOf(schema).length }
}

/** #5: a row of the schemas. */
export function schemaRow(schema: ChainSchema, answers: ExpectedAnswers): Row {
  return {
    ...rankedSchemaRow(schema, answers),
    attesterCount: new Set(answers.attestationsOf(schema).map(({ attester }) => attester)).size,
    data: schema.fields,
  }
}

/** #6: one schema. */
export function singleSchema(schema: ChainSchema): Row {
  return {
    ...schemaSummary(schema),
    registerTimestamp: schema.registerTimestamp,
    revocable: schema.revocable,
    maxValidFor: Number(schema.maxValidFor),
    data: schema.fields,
  }
}

/** #11: a row of the schemas of an address. */
export function schemaOfAddress(schema: ChainSchema): Row {
  return {
    ...schemaSummary(schema),
    revocable: schema.revocable,
    maxValidFor: schema.maxValidFor,
    resolver: schema.resolver,
    registerTimestamp: String(schema.registerTimestamp),
    data: schema.fields,
    extra: null,
  }
}

/** #7: a row of the attestations. */
export function attestationRow(attestation: ChainAttestation): Row {
  return {
    id: attestation.id,
    mode: 'onchain',
    chainType: 'evm',
    chainId: String(attestation.chainId),
    attestationId: attestation.localId,
    schemaId: attestation.schemaLocalId,
    attester: attestation.attester,
    attestTimestamp: String(attestation.attestTimestamp),
    recipients: attestation.recipients,
  }
}

/** #8: a row of the attestations with `fields=detail`. */
export function detailedRow(attestation: ChainAttestation, answers: ExpectedAnswers): Row {
  const { id, localId, name, chainId } = answers.schemaOf(attestation)
  return {
    ...attestationRow(attestation),
    schema: { id, chainType: 'evm', chainId: String(chainId), schemaId: localId, name },
  }
}

/** #4: a row of the latest attestations. */
export function latestRow(attestation: ChainAttestation, answers: ExpectedAnswers): Row {
  const { id, localId, name } = answers.schemaOf(attestation)
  return { ...attestationRow(attestation), schema: { id, schemaId: localId, name } }
}

/** #9: one attestation. */
export function singleAttestation(attestation: ChainAttestation, answers: ExpectedAnswers): Row {
  const { id, localId, name, fields } = answers.schemaOf(attestation)
  return { ...attestationDetail(attestation), schema: { id, schemaId: localId, name, data: fields } }
}

/** #12: a row of the attestations of an address. */
export function attestationOfAddress(
  attestation: ChainAttestation,
  address: string,
  answers: ExpectedAnswers,
): Row {
  const { id, localId, name, description } = answers.schemaOf(attestation)
  return {
    ...attestationDetail(attestation),
    from: '',
    isSender: attestation.attester === address,
    isReceiver: recipientAddresses(attestation).includes(address),
    extra: '{}',
    schema: { id, schemaId: localId, name, description },
  }
}

/** #1: rows of the groups of a search. */
export function foundSchema(schema: ChainSchema): Row {
  const { transactionHash: _, ...row } = schemaSummary(schema)
  return row
}

export function foundAttestation(attestation: ChainAttestation): Row {
  const { id, chainType, chainId, attestationId, attester, recipients } = attestationRow(attestation)
  return { id, chainType, chainId, attestationId, attester, recipients }
}

export function foundAddress(address: string, answers: ExpectedAnswers): Row {
  const { schemaCreated, attestationCreated, attestationReceived } = answers.statistics(address)
  return { address, schemaCreated, attestationCreated, attestationReceived }
}

function schemaSummary(schema: ChainSchema): Row {
  return {
    id: schema.id,
    mode: 'onchain',
    name: schema.name,
    description: schema.description,
    registrant: schema.registrant,
    chainType: 'evm',
    chainId: String(schema.chainId),
    schemaId: schema.localId,
    transactionHash: schema.transactionHash,
  }
}

function attestationDetail(attestation: ChainAttestation): Row {
  return {
    ...attestationRow(attestation),
    transactionHash: attestation.transactionHash,
    indexingValue: attestation.indexingValue,
    fullSchemaId: attestation.fullSchemaId,
    linkedAttestation: attestation.linkedAttestation,
    validUntil: attestation.validUntil,
    revoked: attestation.revoked,
    revokeTimestamp: attestation.revokeTimestamp === null ? null : String(attestation.revokeTimestamp),
    revokeReason: attestation.revokeReason,
    revokeTransactionHash: attestation.revokeTransactionHash,
    data: attestation.data,
    dataLocation: attestation.dataLocation,
  }
}

interface Place {
  readonly chainId: number
  readonly blockNumber: number
  readonly logIndex: number
}

function byPlace(a: Place, b: Place): number {
  return a.chainId - b.chainId || a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}

function hourOf({ attestTimestamp }: ChainAttestation): number {
  return Math.floor(attestTimestamp / 3600)
}
