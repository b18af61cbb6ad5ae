import type { FastifyBaseLogger } from 'fastify'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { ListFieldPaths } from '@attestry/core/model/fieldValues.ts'
import type { FindPublished, NameDeployment } from '@attestry/core/model/indexedContract.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { AccessRules, ApiKey, RateLimit } from '@attestry/host/config/accessRules.ts'
import type { Timeouts } from './pipeline/createApp.ts'
import type { BodyLimits } from './pipeline/bodies/readBodies.ts'
import type { EventLimits } from './interfaces/events/createChangeStreams.ts'
import type { GraphqlLimits } from './interfaces/graphql/limits.ts'
import type { LoadLimits } from './pipeline/limits/meterRoutes.ts'
import type { CountRequest } from './pipeline/limits/requestCounts.ts'
import type { Metrics } from './pipeline/metrics/createMetrics.ts'
import type { RequestMeter } from './pipeline/metrics/requestMeter.ts'
import type { WaitLimits } from './pipeline/waits/createRecordWaits.ts'
import type { ServedWing } from './wing.ts'

/** The start options of a server. The capabilities of other packages are wings. */
export interface ServerOptions {
  /** The index to serve. The caller closes the reader, after the server. */
  readonly reader: IndexReader
  /** The changes of the same index; without a journal, the server has no events. */
  readonly journal?: ChangeJournal
  readonly wings: readonly ServedWing[]
  readonly protocols: ProtocolReads
  /** The configured chains: `/readyz` waits for them even before their indexer has started. */
  readonly chainIds: readonly ChainId[]
  /** The configured chains of a server that does not index: answers name those that the index does not have. */
  readonly namedChainIds?: readonly ChainId[]
  readonly clients: ClientRules
  readonly caching: CachingOptions
  /** Limits that differ from the default. */
  readonly limits?: ServerLimits
  /** The log of failures (5xx). */
  readonly logger: Pick<FastifyBaseLogger, 'error'>
  /** Counts the answers. */
  readonly meter: RequestMeter
  /** The figures at `/metrics`; without them, the path does not exist. */
  readonly metrics?: Metrics
  /** The clock by which attestations expire and chains lag; the machine's by default. */
  readonly now?: () => UnixMilliseconds
}

/** Reads that differ by protocol. */
export interface ProtocolReads {
  /** Decodes the payloads of attestations. */
  readonly decodePayload: DecodePayload
  /** Lists the fields that payloads are filtered by. */
  readonly listFieldPaths: ListFieldPaths
  /** Names the contracts of a chain. */
  readonly nameDeployment: NameDeployment
  readonly findPublished: FindPublished
}

/** The rights and rates of clients. */
export interface ClientRules {
  readonly access: AccessRules
  /** The keys that the operator gave to clients. An unknown key counts as no key. */
  readonly keys: readonly ApiKey[]
  /** The rate limit of each client; unlimited by default. */
  readonly rateLimit?: RateLimit
  /** Counts the requests of a client for several processes together. */
  readonly countRequest?: CountRequest
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the client; by default the client is the peer. */
  readonly trustProxy?: readonly string[]
}

/** How long answers are kept, here and by others. */
export interface CachingOptions {
  /** Most bytes of memory for cached answers. */
  readonly keptBytesMax: number
  /** How many seconds caches may keep answers that do not depend on the clock; 0: they ask each time. */
  readonly maxAgeSeconds: number
  /** For how long a version of the index that was read counts for cached answers. */
  readonly versionEveryMs: number
}

/** The limits of the parts of a server. */
export interface ServerLimits {
  readonly events?: Partial<EventLimits>
  readonly waits?: Partial<WaitLimits>
  /** Of one GraphQL request. */
  readonly graphql?: Partial<GraphqlLimits>
  readonly load?: Partial<LoadLimits>
  readonly bodies?: Partial<BodyLimits>
  readonly timeouts?: Partial<Timeouts>
}
