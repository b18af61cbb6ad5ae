import { ProofUnavailableError } from '../errors/apiErrors.ts'
import { localIdOfUid } from '../model/compositeId.ts'
import { zeroHash } from '../model/hex.ts'
import type { DecodePayload } from '../model/decodedPayload.ts'
import type { ListFieldPaths } from '../model/fieldValues.ts'
import type { NameDeployment } from '../model/indexedContract.ts'
import type { KnownNames } from '../model/knownNames.ts'
import type { OffchainVerifier } from '../model/offchainRecord.ts'
import type { ProveEvent } from '../model/recordProof.ts'
import { currentTimeMs } from '../model/time.ts'
import { openAccess, type PrivatePart } from '../http/access/createAccess.ts'
import { withAgentFiles } from '../faces/agents/agentFiles.ts'
import type { ApiContext } from '../faces/apiContext.ts'
import { createFindKey } from '../http/access/apiKeys.ts'
import { createBodies } from '../http/bodies/readBodies.ts'
import { createKeptAnswers } from '../http/answers/keptAnswers.ts'
import { createVersionOfTurn } from '../http/answers/versionOfTurn.ts'
import { createClientPlaces } from '../http/limits/clientPlaces.ts'
import type { Clients } from '../http/limits/clients.ts'
import type { RequestMeter } from '../http/metrics/requestMeter.ts'
import { createFieldCheck } from '../http/parameters/checkFields.ts'
import { keptFor } from '../http/headers.ts'
import { createJournalTail } from '../changes/journalTail.ts'
import { createRecordWaits } from '../http/waits/createRecordWaits.ts'
import type { ReadHeader } from '../http/asOf/resolveBlock.ts'
import { noPolicies } from '../faces/gate/gatePolicies.ts'
import { createPersistedDocuments } from '../faces/graphql/createPersistedDocuments.ts'
import { createPolicyJudge } from '../faces/gate/judgeSubjects.ts'
import type { ServerOptions } from './serverOptions.ts'

/** Most bytes of memory for cached answers by default. */
export const keptBytesDefault = 64 * 1024 * 1024

/**
 * GraphQL requests of one client that go on at a time; others of the client wait. In one thread more would only hold
 * more memory. A database server answers many beside one another.
 */
const queriesOfClient = { ofThread: 4, ofServer: 32 }

/** The parts that the endpoints of a server share. A part that the options leave out finds and verifies nothing. */
export function createContext(options: ServerOptions, meter: RequestMeter, clients: Clients): ApiContext {
  const { journal = null, logger, waitLimits = {} } = options
  const now = options.now ?? currentTimeMs
  const content = options.content ?? null
  const reader = content === null ? options.reader : withAgentFiles(options.reader, content)
  const listFieldPaths = options.listFieldPaths ?? listNoPaths
  const checkFields = createFieldCheck(options.reader, listFieldPaths, content)
  // A verdict follows from the chains alone.
  const checkOwnFields = createFieldCheck(options.reader, listFieldPaths, null)
  const policies = options.policies ?? noPolicies
  const readHeader = options.readHeader ?? readNoHeader
  const onFailure = (error: unknown) => logger?.error({ err: error }, 'changes cannot be read')
  const tail = createJournalTail({ journal, version: () => options.reader.indexVersion(), onFailure })
  return {
    clientOf: clients.of,
    tail,
    waits: createRecordWaits({ reader, tail, meter, limits: waitLimits }),
    reader,
    decodePayload: options.decodePayload ?? decodeNothing,
    checkFields,
    checkOwnFields,
    proveEvent: options.proveEvent ?? proveNothing,
    offchain: options.offchain ?? verifyNothing,
    nameDeployment: options.nameDeployment ?? nameByProtocol,
    names: options.names ?? noNames,
    now,
    versionOfTurn: createVersionOfTurn(options.reader, options.versionEveryMs),
    caching: keptFor(options.maxAgeSeconds ?? 0, isOpen(options) ? 'public' : 'private'),
    kept: createKeptAnswers(options.keptBytesMax ?? keptBytesDefault),
    begun: new WeakMap(),
    readHeader,
    signingKey: options.signingKey ?? null,
    policies,
    judgeByPolicy: createPolicyJudge(policies, { checkOwnFields, now, readHeader }),
    content,
    storage:
      options.storage === undefined
        ? null
        : { ...options.storage, findKey: createFindKey(options.keys ?? []) },
    bodies: createBodies(clients.of, options.bodyLimits),
    documents: createPersistedDocuments(),
    queryPlaces: createClientPlaces(
      reader.sharesThread ? queriesOfClient.ofThread : queriesOfClient.ofServer,
    ),
  }
}

/** Whether records and lists are answered to every client and every page, so that they may be kept for others. */
function isOpen({ access = openAccess }: ServerOptions): boolean {
  const parts: readonly PrivatePart[] = ['scan', 'index', 'offchain']
  return access.anonymous && access.origins === '*' && !parts.some((part) => access.private.includes(part))
}

const decodeNothing: DecodePayload = () => ({
  kind: 'undecodable',
  reason: 'this server understands no payloads',
})

const readNoHeader: ReadHeader = () => Promise.resolve({ kind: 'unreachable' })

const nameByProtocol: NameDeployment = (_chainId, { protocol }) => protocol

const noNames: KnownNames = {
  change: false,
  find: () => undefined,
  search: () => Promise.resolve([]),
  findOfEns: () => Promise.resolve(new Map()),
}

const listNoPaths: ListFieldPaths = () => []

const proveNothing: ProveEvent = () =>
  Promise.reject(
    new ProofUnavailableError('This server is connected to no chain, so that it cannot make proofs.', {
      retryAfterSeconds: null,
    }),
  )

const unreadable = { kind: 'unreadable', reason: 'This server verifies no off-chain attestations' } as const

const verifyNothing: OffchainVerifier = {
  read: () => Promise.resolve(unreadable),
  check: () => Promise.resolve([]),
  privateDataSchema: localIdOfUid(zeroHash),
  readPrivateProof: () => unreadable,
}
