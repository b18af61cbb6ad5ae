import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { serveAgents } from '@attestry/agents/serveAgents.ts'
import { serveExports } from '@attestry/archive/export/serveExports.ts'
import { serveGuide } from '@attestry/server/interfaces/guide/serveGuide.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createPolicies } from '@attestry/trust/gate/gatePolicies.ts'
import { readSigningKey, type SigningKey } from '@attestry/trust/gate/readSigningKey.ts'
import { readExplorerBuild } from '@attestry/server/interfaces/explorer/readExplorerBuild.ts'
import { createOffchainVerifier } from '@attestry/trust/commands/createOffchainVerifier.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { nameDeployment } from '@attestry/core/protocols/nameDeployment.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { createNames } from '@attestry/names/createNames.ts'
import { demoChainId } from '../fixture/fillExplorerIndex.ts'
import { veraxIssuer, veraxSchemaId } from '../fixture/veraxBlocks.ts'
import { projections } from '../../harness/projections.ts'

/** The API and the explorer over an index. */
export interface Site {
  /** Without a slash at the end. */
  readonly url: string
  close(): Promise<void>
}

const kyc = `onchain_evm_${demoChainId}_0x1`

/** The policies of the site: their chains are as old as their fixture. */
const sitePolicies = {
  'kyc-level-2': {
    all: [
      { holds: { schema: kyc, attester: 'any', field: { level: { gte: 2 } } } },
      { not: { holds: { schema: `onchain_evm_${demoChainId}_0x2`, attester: 'any' } } },
    ],
    maxStaleness: '1000w',
  },
  either: {
    any: [
      { policy: 'kyc-level-2' },
      {
        atLeast: 2,
        of: [
          { holds: { schema: `onchain_evm_${demoChainId}_0x3`, attester: 'any', maxAge: '365d' } },
          { holds: { schema: `onchain_evm_${demoChainId}_0x4`, attester: 'any', recipient: 'attester' } },
          { holds: { schema: 'onchain_evm_7_0x1', attester: 'any' } },
        ],
      },
    ],
  },
}

/** The names that the operator of the site gives. */
export const siteLabels = [
  {
    id: veraxIssuer,
    name: 'Example Identity of Zug',
    link: 'https://identity.example',
    source: 'identity.example',
  },
  { id: veraxSchemaId, name: 'Humans of Zug', link: null, source: 'configuration' },
]

export async function startSite(indexPath: string, buildFolder: string): Promise<Site> {
  const reader = openSqliteReader(indexPath, { decodePayload: decodeIndexedPayload, projections })
  const state = { kind: 'ready', build: await readExplorerBuild(buildFolder) } as const
  const app = createServer({
    reader,
    journal: reader,
    decodePayload: decodeAttestedPayload,
    nameDeployment,
    offchain: createOffchainVerifier([], () => Promise.resolve({ kind: 'notSigned', at: [] })),
    listFieldPaths,
    policies: createPolicies(sitePolicies, true),
    signingKey: createSigningKey(),
    names: createNames(siteLabels, null),
    explorer: { state: () => state },
    wings: [serveAgents(), serveExports(), serveGuide()],
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  // `address()` of a server that listens on a port is an `AddressInfo`.
  const { port } = app.server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await app.close()
      await reader.close()
    },
  }
}

function createSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = readSigningKey(String(privateKey.export({ type: 'pkcs8', format: 'pem' })))
  if ('wrong' in key) throw new Error(key.wrong)
  return key
}
