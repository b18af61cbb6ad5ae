import type { AnchorCount } from '../../store/indexQueries.ts'
import type { RecordKey } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { ClassifiedKeyword } from '../../model/keyword.ts'
import {
  attestationDetailJson,
  attestationSummaryJson,
  schemaFieldsJson,
  schemaSummaryJson,
} from '../../model/recordJson.ts'
import type { Attestation, Schema } from '../../model/records.ts'
import type {
  AddressStatistics,
  ChainOverview,
  IndexReader,
  Page,
  PageRequest,
  StoredAttestation,
  StoredRevocation,
  StoredSchema,
} from '../../store/indexReader.ts'

/** What a memory reader holds; tests change it between requests. */
export interface MemoryIndex {
  version: number
  schemas: readonly Schema[]
  attestations: readonly Attestation[]
  revocations: Readonly<Record<string, StoredRevocation>>
  /** Off-chain anchors by account. */
  anchors: Readonly<Record<string, readonly AnchorCount[]>>
  chains: readonly ChainOverview[]
  /** Thrown by every call while it is set. */
  failure: Error | null
  /** How often anything but the version was asked for. */
  readCount: number
  /** Called at every read, before it answers. */
  onRead: () => void
}

export function createMemoryIndex(content: Partial<MemoryIndex> = {}): MemoryIndex {
  return {
    version: 1,
    schemas: [],
    attestations: [],
    revocations: {},
    anchors: {},
    chains: [],
    failure: null,
    readCount: 0,
    onRead: () => undefined,
    ...content,
  }
}

/**
 * An `IndexReader` over arrays, for tests of what the API makes of the store's answers. It finds records and pages and
 * compares texts, no more: what a keyword finds is the store's own matter, and is tested there.
 */
export function createMemoryReader(index: MemoryIndex): IndexReader {
  const read = <Result>(result: () => Result): Promise<Result> => {
    index.readCount++
    index.onRead()
    return index.failure === null ? Promise.resolve(result()) : Promise.reject(index.failure)
  }
  const schemas = () => newestFirst(index.schemas, (schema) => schema.registerTimestamp)
  const attestations = () => newestFirst(index.attestations, (attestation) => attestation.attestTimestamp)
  const storedSchema = (schema: Schema) => storeSchema(index, schema)
  const storedAttestation = (attestation: Attestation) => storeAttestation(index, attestation)

  return {
    indexVersion: () =>
      index.failure === null ? Promise.resolve(index.version) : Promise.reject(index.failure),
    findSchema: (key) => read(() => schemas().filter(hasKey(key)).map(storedSchema)[0] ?? null),
    findAttestation: (key) =>
      read(() => attestations().filter(hasKey(key)).map(storedAttestation)[0] ?? null),
    listSchemas: (query) =>
      read(() => pageOf(schemas().filter(mentionsSchema(query.keyword)), query, storedSchema)),
    listAttestations: (query) =>
      read(() =>
        pageOf(
          attestations().filter(isUnder(query.schema)).filter(mentions(query.keyword)),
          query,
          storedAttestation,
        ),
      ),
    listAttestationSummaries: (query) =>
      read(() => {
        const matches = attestations().filter(isUnder(query.schema)).filter(mentions(query.keyword))
        const { total, rows } = pageOf(matches, query, attestationSummaryJson)
        return { total, rowsJson: `[${rows.map((row) => `{${row}}`).join(',')}]` }
      }),
    listSchemasOfRegistrant: (registrant, page) =>
      read(() =>
        pageOf(
          schemas().filter((schema) => schema.registrant === registrant),
          page,
          storedSchema,
        ),
      ),
    listAttestationsOfAddress: (query) =>
      read(() => {
        const matches = attestations()
          .filter((attestation) => roleOf(query.address)[query.role](attestation))
          .filter(({ key }) => query.chainId === null || key.chainId === query.chainId)
          .filter(({ key, schemaLocalId }) => {
            if (query.schema === null) return true
            if (query.schema.kind === 'localId') return schemaLocalId === query.schema.localId
            return key.chainId === query.schema.key.chainId && schemaLocalId === query.schema.key.localId
          })
        return pageOf(matches, query, storedAttestation)
      }),
    listTopSchemas: (limit) => read(() => rank(schemas().map(storedSchema)).slice(0, limit)),
    listTrendingSchemas: (limit) =>
      read(() =>
        rank(
          schemas()
            .map(storedSchema)
            .filter((schema) => schema.attestationCount > 0),
        ).slice(0, limit),
      ),
    addressStatistics: (address) => read(() => statisticsOf(index, address)),
    searchSchemas: (keyword, limit) =>
      read(() => pageOf(schemas().filter(mentionsSchema(keyword)), { page: 1, size: limit }, storedSchema)),
    searchAttestations: (keyword, limit) =>
      read(() =>
        pageOf(attestations().filter(mentions(keyword)), { page: 1, size: limit }, storedAttestation),
      ),
    searchAddresses: ({ target }, limit) =>
      read(() => {
        const found =
          target.kind === 'address'
            ? [{ address: target.address, ...statisticsOf(index, target.address) }]
            : []
        return { total: found.length, rows: found.slice(0, limit) }
      }),
    listChains: () => read(() => index.chains),
    exportLines: async function* () {},
    close: () => Promise.resolve(),
  }
}

export function storeSchema(index: MemoryIndex, schema: Schema): StoredSchema {
  const under = index.attestations.filter(isUnder(schema.key))
  const { name, description } = schema.definition
  return {
    key: schema.key,
    protocol: schema.protocol,
    summaryJson: schemaSummaryJson(schema, name),
    fieldsJson: schemaFieldsJson(schema),
    name,
    description,
    registrant: schema.registrant,
    registerTimestamp: schema.registerTimestamp,
    revocable: schema.revocable,
    maxValidFor: String(schema.maxValidFor),
    resolver: schema.resolver,
    rawText: schema.rawText,
    transactionSender: schema.transactionSender,
    attestationCount: under.length,
    attesterCount: new Set(under.map(({ attester }) => attester)).size,
    syncAt: 1_700_000_000_123,
  }
}

export function storeAttestation(index: MemoryIndex, attestation: Attestation): StoredAttestation {
  const { key, schemaLocalId, protocol, transactionSender } = attestation
  const schemaKey = { chainId: key.chainId, localId: schemaLocalId }
  const schema = index.schemas.find(hasKey(schemaKey))
  const revocation = index.revocations[key.localId] ?? null
  return {
    key,
    protocol,
    summaryJson: attestationSummaryJson(attestation),
    detailJson: attestationDetailJson(attestation),
    revocation,
    transactionSender,
    syncAt: 1_700_000_000_456,
    lastSyncAt: revocation === null ? null : 1_700_000_000_789,
    schema: {
      key: schemaKey,
      name: schema?.definition.name ?? '',
      description: schema?.definition.description ?? '',
      fieldsJson: schema === undefined ? '[]' : schemaFieldsJson(schema),
    },
  }
}

function pageOf<Kept, Row>(
  all: readonly Kept[],
  { page, size }: PageRequest,
  present: (kept: Kept) => Row,
): Page<Row> {
  return { total: all.length, rows: all.slice((page - 1) * size, page * size).map(present) }
}

function newestFirst<Kept>(all: readonly Kept[], timeOf: (kept: Kept) => number): Kept[] {
  return [...all].sort((a, b) => timeOf(b) - timeOf(a))
}

function rank(schemas: readonly StoredSchema[]): StoredSchema[] {
  return [...schemas].sort(
    (a, b) => b.attestationCount - a.attestationCount || a.registerTimestamp - b.registerTimestamp,
  )
}

function statisticsOf(index: MemoryIndex, address: Address): AddressStatistics {
  const role = roleOf(address)
  return {
    schemaCreated: index.schemas.filter(({ registrant }) => registrant === address).length,
    attestationCreated: index.attestations.filter(role.created).length,
    attestationReceived: index.attestations.filter(role.received).length,
    totalAttestations: index.attestations.filter(role.either).length,
  }
}

function roleOf(address: Address) {
  const created = (attestation: Attestation) => attestation.attester === address
  const received = ({ recipients }: Attestation) =>
    recipients.some((recipient) => recipient.kind === 'address' && recipient.address === address)
  return { created, received, either: (a: Attestation) => created(a) || received(a) }
}

function hasKey({ chainId, localId }: RecordKey): (record: { readonly key: RecordKey }) => boolean {
  return ({ key }) => key.chainId === chainId && key.localId === localId
}

function isUnder(schema: RecordKey | null): (attestation: Attestation) => boolean {
  return ({ key, schemaLocalId }) =>
    schema === null || (key.chainId === schema.chainId && schemaLocalId === schema.localId)
}

function mentionsSchema(keyword: ClassifiedKeyword | null): (schema: Schema) => boolean {
  return ({ definition }) =>
    keyword === null || `${definition.name}\n${definition.description}`.includes(keyword.text)
}

function mentions(keyword: ClassifiedKeyword | null): (attestation: Attestation) => boolean {
  return ({ key, indexingValue }) =>
    keyword === null || indexingValue === keyword.text || key.localId === keyword.text
}
