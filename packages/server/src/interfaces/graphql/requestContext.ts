import DataLoader from 'dataloader'
import type { DecodedPayload, DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { NameDeployment } from '@attestry/core/model/indexedContract.ts'
import type { ContentReads } from '@attestry/core/model/contentReads.ts'
import { recordKeyText, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { JudgeByPolicy } from '../../apiContext.ts'
import { noOffchainRecords, type OffchainRecords } from '../../records/offchainRecords.ts'
import type { ReadChanges } from '../events/addChangesEndpoint.ts'
import { openView, type Question } from '../../pipeline/asOf/openView.ts'
import type { ReadHeader } from '../../pipeline/asOf/resolveBlock.ts'
import type { CheckFields } from '../../pipeline/parameters/checkFields.ts'
import type { Effort } from '../../pipeline/effort/createEffort.ts'
import { readWithin } from '../../pipeline/effort/readWithin.ts'
import { createTotals, type CountRows } from './createTotals.ts'
import { decodeStoredPayload, encodedLength } from '@attestry/core/model/decodeStoredPayload.ts'
import { decodedLengthMax, encodedLengthMax } from '../../records/presentDecodedData.ts'

/** The services that the resolvers of every request use. */
export interface GraphqlServices {
  readonly reader: IndexReader
  readonly decodePayload: DecodePayload
  readonly checkFields: CheckFields
  /** Null if no content is fetched: conditions on fields see only payloads, and files of agents are not known. */
  readonly content: ContentReads | null
  readonly nameDeployment: NameDeployment
  readonly now: () => UnixMilliseconds
  readonly readHeader: ReadHeader
  readonly judgeByPolicy: JudgeByPolicy
  readonly offchainRecords: OffchainRecords
  /** Null if the index has no journal. */
  readonly readChanges: ReadChanges | null
}

/** The state that the resolvers of one request share. */
export interface RequestContext extends Omit<GraphqlServices, 'readHeader' | 'reader'> {
  readonly reader: PastReader
  /** The newest state, for reads that have no past. */
  readonly newest: IndexReader
  /** Attestations with all their fields, many in one read. */
  readonly attestations: RecordLoader<StoredAttestation>
  readonly schemas: RecordLoader<StoredSchema>
  /** Decodes the payload of an attestation that was read with its detail and schema; bounded for the whole request. */
  readonly decode: (attestation: StoredAttestation) => DecodedPayload
  /** Counts rows, within bounds for all of one request. */
  readonly countRows: CountRows
  /** The time of the request, the same for all of it. An answer that used it is not cached. */
  readonly now: () => UnixMilliseconds
  /** Notes that an answer shows what content has: it comes and goes by the clock, not with versions of the index. */
  readonly followContent: () => void
  /**
   * Whether anything has read the time. A getter would be a new accessor in each request: V8 makes a new shape of object
   * for each, which keeps the request until the next full collection of garbage.
   */
  readonly usedClock: () => boolean
  /**
   * The same as of the moment of a question.
   * @throws as `openView`.
   */
  readonly at: (question: Question) => Promise<RequestContext>
}

type RecordLoader<Row> = Pick<DataLoader<RecordKey, Row | null>, 'load'>

/** Most keys of one read of the store. */
const keysMax = 100

function createLoader<Row>(
  read: (keys: readonly RecordKey[]) => Promise<readonly (Row | null)[]>,
): RecordLoader<Row> {
  return new DataLoader<RecordKey, Row | null, string>(read, {
    cacheKeyFn: recordKeyText,
    maxBatchSize: keysMax,
  })
}

/** The parts that all moments of a request share. */
type SharedParts = Pick<RequestContext, 'decode' | 'countRows' | 'at'>

export function createRequestContext(services: GraphqlServices, effort: Effort): RequestContext {
  const opened = new Map<string, Promise<RequestContext>>()
  const shared: SharedParts = {
    decode: createPayloadDecoder(services.decodePayload),
    countRows: createTotals(),
    at: (question) => {
      const key = JSON.stringify(question)
      const found = opened.get(key) ?? open(question)
      opened.set(key, found)
      return found
    },
  }
  async function open(question: Question): Promise<RequestContext> {
    const view = await openView(services, question)
    // The store knows no past.
    return contextOf(
      { ...services, now: view.now, offchainRecords: noOffchainRecords },
      view.reader,
      shared,
      effort,
    )
  }
  return contextOf(services, services.reader, shared, effort)
}

function contextOf(
  services: GraphqlServices,
  from: PastReader,
  shared: SharedParts,
  effort: Effort,
): RequestContext {
  const reader = readWithin(from, effort)
  let moment: UnixMilliseconds | null = null
  const followContent = () => {
    if (services.content !== null) moment ??= services.now()
  }
  return {
    ...shared,
    reader,
    newest: readWithin(services.reader, effort),
    checkFields: (filter) => {
      if (filter !== null && filter.fields.length > 0) followContent()
      return services.checkFields(filter)
    },
    content: services.content,
    followContent,
    nameDeployment: services.nameDeployment,
    decodePayload: services.decodePayload,
    judgeByPolicy: services.judgeByPolicy,
    offchainRecords: services.offchainRecords,
    readChanges: services.readChanges,
    attestations: createLoader((keys) => reader.findAttestations(keys, { detail: true, schema: true })),
    schemas: createLoader((keys) => reader.findSchemas(keys)),
    now: () => (moment ??= services.now()),
    usedClock: () => moment !== null,
  }
}

const skipped: DecodedPayload = {
  kind: 'undecodable',
  reason: 'the attestations before this one used up the decoding limit of one answer; request this one alone',
}

/**
 * The decoder of one request. Strangers write the payloads, so all payloads of one request share the bounds of a REST
 * answer. Each attestation is decoded once, for all fields that ask for it.
 */
function createPayloadDecoder(
  decodePayload: DecodePayload,
): (attestation: StoredAttestation) => DecodedPayload {
  const known = new Map<StoredAttestation, DecodedPayload>()
  let encoded = 0
  let decoded = 0

  function decodeWithinBounds(attestation: StoredAttestation): DecodedPayload {
    const length = encodedLength(attestation)
    // The first payload is decoded at any length, so that an attestation that is asked for alone always is.
    if (encoded > 0 && (encoded + length > encodedLengthMax || decoded > decodedLengthMax)) return skipped
    const payload = decodeStoredPayload(attestation, decodePayload)
    encoded += length
    if (payload.kind === 'decoded') decoded += JSON.stringify(payload.values).length
    return payload
  }

  return (attestation) => {
    const payload = known.get(attestation) ?? decodeWithinBounds(attestation)
    known.set(attestation, payload)
    return payload
  }
}
