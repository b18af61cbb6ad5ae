import { currentTimeMs } from '@attestry/core/model/time.ts'
import { NotFoundError, ProofUnavailableError } from '@attestry/core/errors/apiErrors.ts'
import type { ApiContext, Provided } from './apiContext.ts'
import { quoteInput } from './pipeline/quoteInput.ts'
import { createFindKey } from './pipeline/access/apiKeys.ts'
import { createBodies } from './pipeline/bodies/readBodies.ts'
import { createKeptAnswers } from './pipeline/answers/keptAnswers.ts'
import { createVersionOfTurn } from './pipeline/answers/versionOfTurn.ts'
import type { FindAsker } from '@attestry/core/shares/askers.ts'
import { createClientSlots } from './pipeline/limits/clientSlots.ts'
import { createHeavyWork } from './pipeline/limits/heavyWork.ts'
import { createFreshness } from './pipeline/freshness/createFreshness.ts'
import { createFieldCheck } from './pipeline/parameters/checkFields.ts'
import { keptFor } from './pipeline/headers.ts'
import { createJournalTail } from '@attestry/core/changes/journalTail.ts'
import { createRecordWaits } from './pipeline/waits/createRecordWaits.ts'
import { createPersistedDocuments } from './interfaces/graphql/createPersistedDocuments.ts'
import { noOffchainRecords } from './records/offchainRecords.ts'
import type { Includes } from './records/furtherIncludes.ts'
import type { ClientRules, ServerOptions } from './serverOptions.ts'

/** Most bytes of memory for cached answers by default. */
export const keptBytesDefault = 64 * 1024 * 1024

/** Bytes for all answers that embed long content at the same time. */
const embeddedBytesMax = 64 * 1024 * 1024

const embeddedPauseMaxMs = 100

const embeddedRefusal =
  'The server makes other long answers for this client, or for too many others; ask again later, or for fewer rows.'

/**
 * GraphQL requests of one client that go on at a time; others of the client wait. In one thread more would only hold
 * more memory. A database server answers many beside one another.
 */
const queriesOfClient = { ofThread: 4, ofServer: 32 }

/** The parts that the endpoints of a server share. */
export function createContext(options: ServerOptions, askerOf: FindAsker): ApiContext {
  const clientOf: ApiContext['clientOf'] = (request) => askerOf(request).name
  const { journal = null, logger, meter, limits = {}, caching, clients } = options
  const { decodePayload, listFieldPaths, nameDeployment, findPublished } = options.protocols
  const now = options.now ?? currentTimeMs
  const content = options.wings.find((wing) => wing.content !== undefined)?.content ?? null
  const reader = options.wings.reduce(
    (inner, { wrapReader }) => wrapReader?.(inner, content) ?? inner,
    options.reader,
  )
  const checkFields = createFieldCheck(options.reader, listFieldPaths, content)
  // A verdict depends only on chains, not on fetched content.
  const checkOwnFields = createFieldCheck(options.reader, listFieldPaths, null)
  const onFailure = (error: unknown) => logger.error({ err: error }, 'changes cannot be read')
  const tail = createJournalTail({ journal, version: () => options.reader.indexVersion(), onFailure })
  const sharing = isOpen(clients) ? 'public' : 'private'
  const context: ApiContext = {
    ...nothingProvided,
    clientOf,
    tail,
    waits: createRecordWaits({ reader, tail, decodePayload, meter, limits: limits.waits ?? {} }),
    reader,
    decodePayload,
    checkFields,
    checkOwnFields,
    nameDeployment,
    findPublished,
    now,
    versionOfTurn: createVersionOfTurn(options.reader, caching.versionEveryMs),
    freshness: createFreshness({
      reader: options.reader,
      now,
      chainIds: options.namedChainIds ?? options.chainIds,
      findPublished,
    }),
    caching: keptFor(caching.maxAgeSeconds, sharing),
    sharing,
    kept: createKeptAnswers(caching.keptBytesMax),
    embedding: createHeavyWork({
      total: embeddedBytesMax,
      refusal: embeddedRefusal,
      pauseMaxMs: embeddedPauseMaxMs,
    }),
    content,
    bodies: createBodies(clientOf, limits.bodies),
    searches: options.wings.flatMap(({ search }) => search ?? []),
    includes: Object.assign({}, ...options.wings.map(({ includes = {} }) => includes)) as Includes,
    documents: createPersistedDocuments(),
    querySlots: createClientSlots(reader.sharesThread ? queriesOfClient.ofThread : queriesOfClient.ofServer),
  }
  const providing = {
    context,
    findKey: createFindKey(clients.keys),
    askerOf,
    isPrivate: (part: string) => part in clients.access.private,
  }
  for (const wing of options.wings) Object.assign(context, wing.provides?.(providing))
  return context
}

const nothingProvided: Provided = {
  offchainRecords: noOffchainRecords,
  names: {
    change: false,
    find: () => undefined,
    search: () => Promise.resolve([]),
    findOfEns: () => Promise.resolve(new Map()),
  },
  readHeader: () => Promise.resolve({ kind: 'unreachable' }),
  judgeByPolicy: (_reader, policy) =>
    Promise.reject(
      new NotFoundError(`There is no policy ${quoteInput(policy)}; this server evaluates no policies.`),
    ),
  chainsOfPolicy: () => [],
  stateProofs: { proveAnchor: provesNothing, proveAttestation: provesNothing },
}

function provesNothing(): Promise<never> {
  const message = 'This server makes no proofs.'
  return Promise.reject(new ProofUnavailableError(message, { retryAfterSeconds: null }))
}

/** Whether records and lists are answered to every client and every page, so that they may be kept for others. */
function isOpen({ access }: ClientRules): boolean {
  const parts = ['scan', 'index', 'offchain']
  return access.anonymous && access.origins === '*' && !parts.some((part) => part in access.private)
}
