import { createRequire } from 'node:module'
import type { EasWorld } from './easWorld.ts'

/** An attestation as the SDK of Karma GAP returns it: the fields of its schema are members as well. */
export interface GapAttestation {
  readonly uid: string
  readonly refUID: string
  readonly attester: string
  readonly recipient: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The calls of the SDK that read from easscan. */
export interface GapClient {
  attestation(uid: string): Promise<GapAttestation>
  attestationsOf(
    schemaName: string,
    search: string | readonly string[],
  ): Promise<readonly { readonly uid: string }[]>
  attestationsTo(schemaName: string, recipient: string): Promise<readonly { readonly uid: string }[]>
  dependentsOf(schemaName: string, uid: string): Promise<readonly GapAttestation[]>
  slugExists(slug: string): Promise<boolean>
}

interface Sdk {
  readonly GAP: new (options: object) => { readonly fetch: GapClient }
  /** With the URL of easscan for each. */
  readonly Networks: { readonly optimism: { url: string } }
}

/** The SDK of Karma GAP over an endpoint, unchanged but for the URL. */
export function createGapClient({ url, chainId, schemas }: EasWorld): GapClient {
  // The declarations of the package, which is CommonJS, need packages that are not installed.
  const require = createRequire(import.meta.url)
  const { GAP, Networks } = require('@show-karma/karma-gap-sdk') as Sdk
  Networks.optimism.url = `${url}/eas/${chainId}/graphql`
  const named = [
    ['Review', 0],
    ['ProjectDetails', 4],
  ] as const
  return new GAP({
    network: 'optimism',
    schemas: named.map(([name, index]) => ({
      name,
      uid: schemas[index]?.id,
      schema: (schemas[index]?.schema ?? '').split(/, */).map((field) => {
        const [type, fieldName] = field.split(' ')
        return { type, name: fieldName, value: null }
      }),
      ...(name === 'ProjectDetails' ? { references: 'Review' } : {}),
    })),
  }).fetch
}
