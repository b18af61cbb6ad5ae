import type { FastifyBaseLogger } from 'fastify'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { ListFieldPaths } from '@attestry/core/model/fieldValues.ts'
import type { FindPublished, NameDeployment } from '@attestry/core/model/indexedContract.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ApiKey } from './pipeline/access/apiKeys.ts'
import type { AccessRules } from './pipeline/access/createAccess.ts'
import type { Timeouts } from './pipeline/createApp.ts'
import type { BodyLimits } from './pipeline/bodies/readBodies.ts'
import type { EventLimits } from './events/createChangeStreams.ts'
import type { ExplorerSource } from './explorer/explorerSource.ts'
import type { GraphqlLimits } from './graphql/limits.ts'
import type { RateLimit } from './pipeline/limits/limitRates.ts'
import type { LoadLimits } from './pipeline/limits/meterRoutes.ts'
import type { CountRequest } from './pipeline/limits/requestCounts.ts'
import type { Metrics } from './pipeline/metrics/createMetrics.ts'
import type { RequestMeter } from './pipeline/metrics/requestMeter.ts'
import type { WaitLimits } from './pipeline/waits/createRecordWaits.ts'
import type { ServedWing } from './wing.ts'

export interface ServerOptions {
  /** The index to serve. The caller closes the reader, after the server. */
  readonly reader: IndexReader
  /** The changes of the same index; without a journal, the server has no events. */
  readonly journal?: ChangeJournal
  readonly eventLimits?: Partial<EventLimits>
  readonly waitLimits?: Partial<WaitLimits>
  /** Decodes the payloads of attestations. */
  readonly decodePayload: DecodePayload
  /** Lists the fields that payloads are filtered by. */
  readonly listFieldPaths: ListFieldPaths
  /** The capabilities of other packages. */
  readonly wings: readonly ServedWing[]
  /** Names the contracts of a chain. */
  readonly nameDeployment: NameDeployment
  readonly findPublished: FindPublished
  /** The configured chains: `/readyz` waits for them even before their indexer has started. */
  readonly chainIds: readonly ChainId[]
  /** The configured chains of a server that does not index: answers name those that the index does not have. */
  readonly namedChainIds?: readonly ChainId[]
  /** Where failures (5xx) are logged. */
  readonly logger: Pick<FastifyBaseLogger, 'error'>
  /** Most bytes of memory for cached answers. */
  readonly keptBytesMax: number
  /** How many seconds caches may keep answers that do not depend on the clock; 0: they ask each time. */
  readonly maxAgeSeconds: number
  /** For how long a version of the index that was read counts for cached answers. */
  readonly versionEveryMs: number
  /** The clock by which attestations expire and chains lag; the machine's by default. */
  readonly now?: () => UnixMilliseconds
  /** The limits of one GraphQL request that differ from the default. */
  readonly graphqlLimits?: Partial<GraphqlLimits>
  /** Counts the answers. */
  readonly meter: RequestMeter
  /** The figures at `/metrics`; without them, the path does not exist. */
  readonly metrics?: Metrics
  /** The rate limit of each client; unlimited by default. */
  readonly rateLimit?: RateLimit
  /** The keys that the operator gave to clients; requests with other keys are those of nobody in particular. */
  readonly keys: readonly ApiKey[]
  /** Who may ask what. */
  readonly access: AccessRules
  /** Counts the requests of a client for several processes together. */
  readonly countRequest?: CountRequest
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the client; by default the client is the peer. */
  readonly trustProxy?: readonly string[]
  readonly loadLimits?: Partial<LoadLimits>
  readonly bodyLimits?: Partial<BodyLimits>
  /** Most connections at the same time. */
  readonly connectionsMax?: number
  readonly timeouts?: Partial<Timeouts>
  /** The web app at `/`; without it, its paths do not exist. */
  readonly explorer?: ExplorerSource
}
