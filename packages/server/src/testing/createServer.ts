import { serveAgents } from '@attestry/agents/serveAgents.ts'
import { serveExports } from '@attestry/archive/export/serveExports.ts'
import type { FastifyInstance } from 'fastify'
import { ProofUnavailableError } from '@attestry/core/errors/apiErrors.ts'
import type { ProveEvent } from '@attestry/core/model/recordProof.ts'
import type { ContentReads } from '@attestry/core/model/contentReads.ts'
import type { OffchainVerifier } from '@attestry/core/model/offchainRecord.ts'
import type { OffchainStorageOptions } from '@attestry/trust/offchain/offchainStorage.ts'
import { serveOffchain } from '@attestry/trust/offchain/serveOffchain.ts'
import type { GatePolicies } from '@attestry/trust/gate/gatePolicies.ts'
import { serveGate, type GateKeys } from '@attestry/trust/gate/serveGate.ts'
import type { StateProver } from '@attestry/trust/commands/createStateProver.ts'
import { serveProofs } from '@attestry/trust/proofs/serveProofs.ts'
import type { ExplorerSource } from '../interfaces/explorer/explorerSource.ts'
import { serveExplorer } from '../interfaces/explorer/serveExplorer.ts'
import { serveMcp } from '../interfaces/mcp/serveMcp.ts'
import { verifyProofTool, type VerifyProof } from '@attestry/trust/proofs/verifyProofTool.ts'
import type { Provided } from '../apiContext.ts'
import { openAccess } from '@attestry/host/config/accessRules.ts'
import { createRequestMeter } from '../pipeline/metrics/requestMeter.ts'
import { localIdOfUid } from '@attestry/core/model/compositeId.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { keptBytesDefault } from '../createContext.ts'
import { createServer as createWholeServer } from '../createServer.ts'
import type { CachingOptions, ClientRules, ProtocolReads, ServerOptions } from '../serverOptions.ts'

const unreadable = { kind: 'unreadable', reason: 'This server verifies no off-chain attestations' } as const

/** The parts of the program's wings that most servers of tests have. */
export interface TestedParts extends Partial<Pick<Provided, 'names' | 'readHeader'>>, GateKeys {
  readonly proveEvent?: ProveEvent
  readonly stateProver?: StateProver
  /** The Model Context Protocol; without it, the path does not exist. */
  readonly mcp?: { readonly verifyProof: VerifyProof }
  readonly content?: ContentReads
  /** The web app at `/`; without it, its paths do not exist. */
  readonly explorer?: ExplorerSource
  readonly offchain?: OffchainVerifier
  /** The store of off-chain attestations. */
  readonly storage?: OffchainStorageOptions
  readonly policies?: GatePolicies
}

/** The options of a server, with those of its groups beside the others: most tests set one. */
export type TestServerOptions = Partial<Omit<ServerOptions, 'protocols' | 'clients' | 'caching'>> &
  Partial<ProtocolReads & ClientRules & CachingOptions> &
  TestedParts

/** A server whose parts find and verify nothing where a test does not give them. */
export function createServer({
  decodePayload = () => ({ kind: 'undecodable', reason: 'this server understands no payloads' }),
  listFieldPaths = () => [],
  nameDeployment = (_chainId, { protocol }) => protocol,
  findPublished = () => null,
  access = openAccess,
  keys = [],
  rateLimit,
  countRequest,
  trustProxy,
  keptBytesMax = keptBytesDefault,
  maxAgeSeconds = 0,
  versionEveryMs = 0,
  proveEvent = proveNothing,
  stateProver = provesNothing,
  policies = { written: {}, named: new Map(), allowsInline: true, signsInline: false },
  signingKey,
  evmKey,
  mcp,
  content,
  explorer,
  offchain = verifiesNothing,
  storage,
  names,
  readHeader,
  wings = [serveAgents(), serveExports()],
  ...options
}: Pick<ServerOptions, 'reader'> & TestServerOptions): FastifyInstance {
  return createWholeServer({
    chainIds: [],
    logger: { error: () => undefined },
    meter: createRequestMeter(),
    ...options,
    protocols: { decodePayload, listFieldPaths, nameDeployment, findPublished },
    clients: {
      access,
      keys,
      ...(rateLimit && { rateLimit }),
      ...(countRequest && { countRequest }),
      ...(trustProxy && { trustProxy }),
    },
    caching: { keptBytesMax, maxAgeSeconds, versionEveryMs },
    wings: [
      { provides: () => (names === undefined ? {} : { names }), ...(content && { content }) },
      serveOffchain(offchain, storage ?? null),
      serveProofs({ proveEvent, stateProver, ...(readHeader === undefined ? {} : { readHeader }) }),
      serveGate(policies, { signingKey, evmKey }),
      ...(explorer === undefined ? [] : [serveExplorer(explorer)]),
      ...(mcp === undefined ? [] : [serveMcp(), { tools: [verifyProofTool(mcp.verifyProof)] }]),
      ...wings,
    ],
  })
}

const verifiesNothing: OffchainVerifier = {
  read: () => Promise.resolve(unreadable),
  check: () => Promise.resolve([]),
  privateDataSchema: localIdOfUid(zeroHash),
  readPrivateProof: () => unreadable,
}

const provesNothing: StateProver = {
  prove: () =>
    Promise.reject(
      new ProofUnavailableError('This server is connected to no chain, so that it cannot make proofs.', {
        retryAfterSeconds: null,
      }),
    ),
  findKept: () => Promise.resolve(null),
}

const proveNothing: ProveEvent = () =>
  Promise.reject(
    new ProofUnavailableError('This server is connected to no chain, so that it cannot make proofs.', {
      retryAfterSeconds: null,
    }),
  )
