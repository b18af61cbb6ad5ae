import { requireSdk, usesSdks } from '../sdks/installedSdks.ts'
import { recorded } from '../sdks/recordings.ts'
import { startRecordingProxy } from '../sdks/startRecordingProxy.ts'
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

const file = 'karmaGap'
const methods = ['attestation', 'attestationsOf', 'attestationsTo', 'dependentsOf', 'slugExists'] as const

/**
 * The SDK of Karma GAP over an endpoint, unchanged but for the URL; in `npm test`, a client that sends the documents that
 * the SDK sent for the same calls.
 */
export async function createGapClient(world: EasWorld): Promise<GapClient & { close(): Promise<void> }> {
  const endpoint = `${world.url}/eas/${world.chainId}/graphql`
  if (!usesSdks) return { ...createReplayingClient(endpoint), close: () => Promise.resolve() }
  const proxy = await startRecordingProxy(endpoint)
  const sdk = createSdkClient(world, proxy.url)
  const calls = methods.map((method) => [
    method,
    async (...call: readonly unknown[]) => {
      const made: unknown = await Reflect.apply(sdk[method], sdk, call)
      await recorded(file, [method, ...call], () => proxy.takeBodies())
      return made
    },
  ])
  return { ...(Object.fromEntries(calls) as unknown as GapClient), close: () => proxy.close() }
}

function createSdkClient({ schemas }: EasWorld, url: string): GapClient {
  const { GAP, Networks } = requireSdk<Sdk>('@show-karma/karma-gap-sdk')
  Networks.optimism.url = url
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

/** The answers of easscan to the documents; `Row` has the members that the documents name. */
interface Answer {
  readonly attestation: Row
  readonly attestations: readonly Row[]
  readonly schema: { readonly attestations: readonly Row[] }
}

type Row = GapAttestation & { readonly decodedDataJson: string }

function createReplayingClient(endpoint: string): GapClient {
  const send = async (...call: readonly unknown[]): Promise<Answer> => {
    const [body = ''] = await recorded(file, call, (): readonly string[] => [])
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(endpoint, { method: 'POST', headers, body })
    return ((await response.json()) as { readonly data: Answer }).data
  }
  return {
    attestation: async (...call) => (await send('attestation', ...call)).attestation,
    dependentsOf: async (...call) => (await send('dependentsOf', ...call)).attestations,
    attestationsOf: async (...call) => (await send('attestationsOf', ...call)).schema.attestations,
    attestationsTo: async (...call) => (await send('attestationsTo', ...call)).schema.attestations,
    slugExists: async (slug) => {
      const { schema } = await send('slugExists', slug)
      return schema.attestations.some(({ decodedDataJson }) => decodedDataJson.includes(slug))
    },
  }
}
