import { serveAgents } from '@attestry/agents/serveAgents.ts'
import { serveExports } from '@attestry/archive/export/serveExports.ts'
import type { FastifyInstance } from 'fastify'
import { ProofUnavailableError } from '@attestry/core/errors/apiErrors.ts'
import { openAccess } from '../pipeline/access/createAccess.ts'
import { createRequestMeter } from '../pipeline/metrics/requestMeter.ts'
import { localIdOfUid } from '@attestry/core/model/compositeId.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { keptBytesDefault } from '../createContext.ts'
import { createServer as createWholeServer } from '../createServer.ts'
import type { ServerOptions } from '../serverOptions.ts'

const unreadable = { kind: 'unreadable', reason: 'This server verifies no off-chain attestations' } as const

/** A server whose parts find and verify nothing where a test does not give them. */
export function createServer(
  options: Pick<ServerOptions, 'reader'> & Partial<ServerOptions>,
): FastifyInstance {
  return createWholeServer({
    decodePayload: () => ({ kind: 'undecodable', reason: 'this server understands no payloads' }),
    listFieldPaths: () => [],
    proveEvent: () =>
      Promise.reject(
        new ProofUnavailableError('This server is connected to no chain, so that it cannot make proofs.', {
          retryAfterSeconds: null,
        }),
      ),
    readHeader: () => Promise.resolve({ kind: 'unreachable' }),
    offchain: {
      read: () => Promise.resolve(unreadable),
      check: () => Promise.resolve([]),
      privateDataSchema: localIdOfUid(zeroHash),
      readPrivateProof: () => unreadable,
    },
    nameDeployment: (_chainId, { protocol }) => protocol,
    findPublished: () => null,
    names: {
      change: false,
      find: () => undefined,
      search: () => Promise.resolve([]),
      findOfEns: () => Promise.resolve(new Map()),
    },
    chainIds: [],
    logger: { error: () => undefined },
    keptBytesMax: keptBytesDefault,
    maxAgeSeconds: 0,
    versionEveryMs: 0,
    meter: createRequestMeter(),
    keys: [],
    access: openAccess,
    wings: [serveAgents(), serveExports()],
    policies: { written: {}, named: new Map(), allowsInline: true, signsInline: false },
    ...options,
  })
}
