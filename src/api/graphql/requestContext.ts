import DataLoader from 'dataloader'
import type { DecodedPayload, DecodePayload } from '../../model/decodedPayload.ts'
import type { NameDeployment } from '../../model/indexedContract.ts'
import { recordKeyText, type RecordKey } from '../../model/compositeId.ts'
import type { UnixMilliseconds } from '../../model/time.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { StoredAttestation, StoredSchema } from '../../store/storedRecords.ts'
import type { CheckFields } from '../parameters/checkFields.ts'
import type { Effort } from '../effort/createEffort.ts'
import { readWithin } from '../effort/readWithin.ts'
import { createPayloadDecoder } from './createPayloadDecoder.ts'
import { createTotals, type CountRows } from './createTotals.ts'

/** The services that the resolvers of every request use. */
export interface GraphqlServices {
  readonly reader: IndexReader
  readonly decodePayload: DecodePayload
  readonly checkFields: CheckFields
  readonly nameDeployment: NameDeployment
  readonly now: () => UnixMilliseconds
}

/** The state that the resolvers of one request share. */
export interface RequestContext extends Omit<GraphqlServices, 'decodePayload'> {
  /** Attestations with all their fields, many in one read. */
  readonly attestations: RecordLoader<StoredAttestation>
  readonly schemas: RecordLoader<StoredSchema>
  /** Decodes the payload of an attestation that was read with its detail and schema; bounded for the whole request. */
  readonly decode: (attestation: StoredAttestation) => DecodedPayload
  /** Counts rows, within bounds for all of one request. */
  readonly countRows: CountRows
  /** The time of the request, the same for all of it. An answer that used it is not cached. */
  readonly now: () => UnixMilliseconds
  /** Whether anything has read the time. */
  readonly usedClock: boolean
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

export function createRequestContext(services: GraphqlServices, effort: Effort): RequestContext {
  const reader = readWithin(services.reader, effort)
  let moment: UnixMilliseconds | null = null
  return {
    reader,
    checkFields: services.checkFields,
    nameDeployment: services.nameDeployment,
    decode: createPayloadDecoder(services.decodePayload),
    countRows: createTotals(),
    attestations: createLoader((keys) => reader.findAttestations(keys, { detail: true, schema: true })),
    schemas: createLoader((keys) => reader.findSchemas(keys)),
    now: () => (moment ??= services.now()),
    get usedClock() {
      return moment !== null
    },
  }
}
