import type { RecordKey } from '../../model/compositeId.ts'
import { valueMatchKey } from '../../model/keyword.ts'
import type { Attestation, Schema } from '../../model/records.ts'
import { clockDay } from '../../model/time.ts'
import {
  everyDay,
  type ActivityDay,
  type AttestationFilter,
  type DaySpan,
  type IndexQueries,
  type ProtocolTotals,
  type RowPlace,
  type SchemaFilter,
  type Slice,
  type SliceRequest,
} from '../../store/indexQueries.ts'
import { storeAttestation, storeSchema, type MemoryIndex } from './createMemoryReader.ts'
import { revocationPosition } from './eventsOfIndex.ts'
import { sampleContract } from './sampleRecords.ts'

/** The further reads over the arrays of a memory index, the plain way: every call looks at every record. */
export function createMemoryQueries(index: MemoryIndex): IndexQueries {
  const read = <Result>(result: () => Result): Promise<Result> => {
    index.readCount++
    index.onRead()
    return index.failure === null ? Promise.resolve(result()) : Promise.reject(index.failure)
  }
  return {
    findSchemas: (keys) =>
      read(() => keys.map((key) => index.schemas.find(hasKey(key)) ?? null).map(orNull(index, storeSchema))),
    findAttestations: (keys) =>
      read(() =>
        keys.map((key) => index.attestations.find(hasKey(key)) ?? null).map(orNull(index, storeAttestation)),
      ),
    sliceAttestations: (request) =>
      read(() =>
        slice(
          index.attestations.filter(passesAttestation(index, request.filter)),
          placeOfAttestation,
          request,
          (attestation) => storeAttestation(index, attestation),
        ),
      ),
    sliceSchemas: (request) =>
      read(() =>
        slice(index.schemas.filter(passesSchema(request.filter)), placeOfSchema, request, (schema) =>
          storeSchema(index, schema),
        ),
      ),
    countAttestations: (filter) =>
      read(() => index.attestations.filter(passesAttestation(index, filter)).length),
    countSchemas: (filter) => read(() => index.schemas.filter(passesSchema(filter)).length),
    listTopAttesters: (schema, limit) =>
      read(() => {
        const under = index.attestations.filter((attestation) => isUnder(schema, attestation))
        const groups = Map.groupBy(under, ({ attester }) => attester)
        const rows = [...groups]
          .map(([address, group]) => ({ address, count: group.length }))
          .sort((a, b) => b.count - a.count || (a.address < b.address ? -1 : 1))
        return { total: rows.length, rows: rows.slice(0, limit) }
      }),
    listActivity: (subject, span = everyDay) =>
      read(() => {
        switch (subject.kind) {
          case 'everything':
            return countDays({ attestations: index.attestations, received: [], schemas: index.schemas }, span)
          case 'schema':
            return countDays(
              {
                attestations: index.attestations.filter((attestation) => isUnder(subject.key, attestation)),
                received: [],
                schemas: [],
              },
              span,
            )
          case 'address':
            return countDays(
              {
                attestations: index.attestations.filter(({ attester }) => attester === subject.address),
                received: index.attestations.filter(({ recipients }) =>
                  recipients.some((to) => to.kind === 'address' && to.address === subject.address),
                ),
                schemas: index.schemas.filter(({ registrant }) => registrant === subject.address),
              },
              span,
            )
        }
      }),
    listTotals: () => read(() => listTotals(index)),
    listAnchors: (account) => read(() => index.anchors[account] ?? []),
    listProtocolDays: (span = everyDay) =>
      read(() =>
        listTotals(index)
          .toSorted((a, b) => a.chainId - b.chainId || (a.protocol < b.protocol ? -1 : 1))
          .flatMap(({ chainId, protocol }) => {
            const isOurs = (record: Schema | Attestation) =>
              record.key.chainId === chainId && record.protocol === protocol
            return countDays(
              {
                attestations: index.attestations.filter(isOurs),
                received: [],
                schemas: index.schemas.filter(isOurs),
              },
              span,
            ).map(({ day, schemas, attestations }) => ({ chainId, protocol, day, schemas, attestations }))
          }),
      ),
    findEvent: (key, event) =>
      read(() => {
        const records: readonly (Schema | Attestation)[] =
          event === 'schema' ? index.schemas : index.attestations
        const record = records.find(hasKey(key))
        if (record === undefined) return null
        const { position, protocol } = record
        const contracts = [sampleContract]
        if (event !== 'revocation') return { event, key, protocol, position, blockHash: null, contracts }
        const at = Object.keys(index.revocations).indexOf(key.localId)
        if (at === -1) return null
        return { event, key, protocol, position: revocationPosition(at), blockHash: null, contracts }
      }),
  }
}

function orNull<Kept, Stored>(
  index: MemoryIndex,
  store: (index: MemoryIndex, kept: Kept) => Stored,
): (kept: Kept | null) => Stored | null {
  return (kept) => (kept === null ? null : store(index, kept))
}

function hasKey({ chainId, localId }: RecordKey): (record: { readonly key: RecordKey }) => boolean {
  return ({ key }) => key.chainId === chainId && key.localId === localId
}

function isUnder(schema: RecordKey, { key, schemaLocalId }: Attestation): boolean {
  return key.chainId === schema.chainId && schemaLocalId === schema.localId
}

function passesAttestation(
  index: MemoryIndex,
  filter: AttestationFilter,
): (attestation: Attestation) => boolean {
  return (attestation) => {
    const { key, attestTimestamp: madeAt } = attestation
    const validUntil = Number(attestation.validUntil)
    const revocation = index.revocations[key.localId]
    const isExpiredAt = (time: number) => validUntil !== 0 && validUntil <= time
    const { recipient, linkedAttestation: linked, validAt } = filter
    return (
      (filter.schema === null || isUnder(filter.schema, attestation)) &&
      (filter.attester === null || attestation.attester === filter.attester) &&
      (recipient === null ||
        attestation.recipients.some((to) =>
          to.kind === 'address'
            ? recipient.kind === 'address' && to.address === recipient.address
            : recipient.kind === 'value' &&
              valueMatchKey(to.kind === 'text' ? to.text : to.bytes) === valueMatchKey(recipient.value),
        )) &&
      (filter.chainId === null || key.chainId === filter.chainId) &&
      (filter.protocol === null || attestation.protocol === filter.protocol) &&
      (filter.revoked === null || (revocation !== undefined) === filter.revoked) &&
      (filter.expired === null || isExpiredAt(filter.expired.at) === filter.expired.is) &&
      (validAt === null ||
        (madeAt <= validAt &&
          !isExpiredAt(validAt) &&
          (revocation === undefined || Number(revocation.timestamp) > validAt))) &&
      (filter.attestedFrom === null || madeAt >= filter.attestedFrom) &&
      (filter.attestedBefore === null || madeAt < filter.attestedBefore) &&
      (linked === null ||
        (key.chainId === linked.chainId && attestation.linkedAttestation === linked.localId)) &&
      (filter.indexingValue === null ||
        valueMatchKey(attestation.indexingValue) === valueMatchKey(filter.indexingValue)) &&
      (filter.dataLocation === null || attestation.dataLocation === filter.dataLocation)
    )
  }
}

function passesSchema(filter: SchemaFilter): (schema: Schema) => boolean {
  return ({ key, protocol, registrant, resolver, revocable, registerTimestamp }) =>
    (filter.registrant === null || registrant === filter.registrant) &&
    (filter.resolver === null || resolver === filter.resolver) &&
    (filter.chainId === null || key.chainId === filter.chainId) &&
    (filter.protocol === null || protocol === filter.protocol) &&
    (filter.revocable === null || revocable === filter.revocable) &&
    (filter.registeredFrom === null || registerTimestamp >= filter.registeredFrom) &&
    (filter.registeredBefore === null || registerTimestamp < filter.registeredBefore)
}

function placeOfAttestation({ key, attestTimestamp, position }: Attestation): RowPlace {
  return { timestamp: attestTimestamp, chainId: key.chainId, position }
}

function placeOfSchema({ key, registerTimestamp, position }: Schema): RowPlace {
  return { timestamp: registerTimestamp, chainId: key.chainId, position }
}

function slice<Kept, Row>(
  kept: readonly Kept[],
  placeOf: (kept: Kept) => RowPlace,
  { order, after, limit }: Pick<SliceRequest<never>, 'order' | 'after' | 'limit'>,
  store: (kept: Kept) => Row,
): Slice<Row> {
  const sign = order === 'newestFirst' ? -1 : 1
  const behind = kept
    .map((record) => ({ record, place: placeOf(record) }))
    .filter(({ place }) => after === null || sign * comparePlaces(place, after) > 0)
    .sort((a, b) => sign * comparePlaces(a.place, b.place))
  return {
    rows: behind.slice(0, limit).map(({ record, place }) => ({ ...store(record), place })),
    hasMore: behind.length > limit,
    scannedTo: null,
  }
}

function comparePlaces(a: RowPlace, b: RowPlace): number {
  return a.timestamp - b.timestamp || a.chainId - b.chainId || a.position - b.position
}

function countDays(
  records: {
    readonly attestations: readonly Attestation[]
    readonly received: readonly Attestation[]
    readonly schemas: readonly Schema[]
  },
  { from, before }: DaySpan,
): ActivityDay[] {
  const made = records.attestations.map(({ attestTimestamp }) => clockDay(attestTimestamp))
  const received = records.received.map(({ attestTimestamp }) => clockDay(attestTimestamp))
  const schemas = records.schemas.map(({ registerTimestamp }) => clockDay(registerTimestamp))
  const countOf = (days: readonly number[], day: number) => days.filter((other) => other === day).length
  return [...new Set([...made, ...received, ...schemas])]
    .filter((day) => (from === null || day >= from) && (before === null || day < before))
    .sort((a, b) => a - b)
    .map((day) => ({
      day,
      attestations: countOf(made, day),
      received: countOf(received, day),
      schemas: countOf(schemas, day),
    }))
}

function listTotals(index: MemoryIndex): ProtocolTotals[] {
  const records = [...index.schemas, ...index.attestations]
  const groups = Map.groupBy(records, ({ key, protocol }) => `${key.chainId} ${protocol}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { protocol, key } = first
    const isOurs = (record: Schema | Attestation) =>
      record.protocol === protocol && record.key.chainId === key.chainId
    const attestations = index.attestations.filter(isOurs)
    return {
      chainId: key.chainId,
      protocol,
      schemaCount: index.schemas.filter(isOurs).length,
      attestationCount: attestations.length,
      revocationCount: attestations.filter(({ key: { localId } }) => index.revocations[localId] !== undefined)
        .length,
    }
  })
}
