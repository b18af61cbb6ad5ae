import { privateKeyToAccount } from 'viem/accounts'
import { requireSdk, usesSdks } from './installedSdks.ts'
import { recorded } from './recordings.ts'

/** The key that signs what the client sends; no secret. */
export const signAccount = privateKeyToAccount(`0x${'33'.repeat(32)}`)

interface Schema {
  readonly name: string
  readonly revocable?: boolean
  readonly data: readonly object[]
}

interface Statement {
  readonly schemaId: string
  readonly data: object
  readonly recipients: readonly string[]
  readonly indexingValue: string
  readonly validUntil?: number
}

type Row = Readonly<Record<string, unknown>>

/** The part of `SignProtocolClient` of `@ethsign/sp-sdk` in off-chain mode that is used. */
export interface OffchainSignClient {
  createSchema(schema: Schema): Promise<{ readonly schemaId: string }>
  getSchema(schemaId: string): Promise<Row>
  createAttestation(statement: Statement): Promise<{ readonly attestationId: string }>
  getAttestation(attestationId: string): Promise<Row>
  revokeAttestation(attestationId: string, options?: { readonly reason: string }): Promise<unknown>
}

interface Sdk {
  readonly SignProtocolClient: new (mode: string, options: object) => OffchainSignClient
  readonly SpMode: { readonly OffChain: string }
  readonly OffChainSignType: { readonly EvmEip712: string }
}

/**
 * The official client of Sign Protocol in off-chain mode; in `npm test`, a client that sends the bodies that the
 * official one sent for the same calls.
 */
export function createOffchainSignClient(url: string, apiKey: string): OffchainSignClient {
  return usesSdks ? createSdkClient(url, apiKey) : createReplayingClient(url, apiKey)
}

const file = 'signOffchain'
const writes = ['createSchema', 'createAttestation', 'revokeAttestation'] as const

function createSdkClient(rpcUrl: string, apiKey: string): OffchainSignClient {
  const { SignProtocolClient, SpMode, OffChainSignType } = requireSdk<Sdk>('@ethsign/sp-sdk')
  // The client looks for a browser's wallet before it takes the account that it is given.
  Reflect.set(globalThis, 'window', {})
  const signType = OffChainSignType.EvmEip712
  const client = new SignProtocolClient(SpMode.OffChain, { signType, account: signAccount, rpcUrl, apiKey })
  Reflect.deleteProperty(globalThis, 'window')
  const recording = writes.map((method) => [
    method,
    async (...call: readonly unknown[]) => {
      const { outcome, body } = await seeBody(() => Reflect.apply(client[method], client, call) as unknown)
      await recorded(file, [method, ...call], () => body)
      return await outcome
    },
  ])
  return {
    getSchema: (id) => client.getSchema(id),
    getAttestation: (id) => client.getAttestation(id),
    ...(Object.fromEntries(recording) as Pick<OffchainSignClient, (typeof writes)[number]>),
  }
}

/** The outcome of a call, and the last body that the call sent. */
async function seeBody(call: () => unknown): Promise<{ outcome: Promise<unknown>; body: string }> {
  const { fetch } = globalThis
  let body = ''
  globalThis.fetch = (input, init) => {
    if (typeof init?.body === 'string') body = init.body
    return fetch(input, init)
  }
  const outcome = Promise.resolve(call())
  await outcome.catch(() => undefined)
  globalThis.fetch = fetch
  return { outcome, body }
}

function createReplayingClient(url: string, apiKey: string): OffchainSignClient {
  const ask = async (path: string, init: object = {}): Promise<Row> => {
    const response = await fetch(url + path, init)
    const answer = (await response.json()) as { readonly data: Row; readonly message: string }
    if (!response.ok) throw new Error(answer.message)
    return answer.data
  }
  const send = async (path: string, ...call: readonly unknown[]) =>
    await ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-sign-api-key': apiKey },
      body: await recorded(file, call, () => ''),
    })
  const getSchema = (id: string) => ask(`/sp/schemas/${id}`)
  return {
    getSchema,
    createSchema: async (schema) => ({
      schemaId: String((await send('/sp/schemas', 'createSchema', schema))['schemaId']),
    }),
    createAttestation: async (statement) => {
      await getSchema(statement.schemaId)
      const { attestationId } = await send('/sp/attestations', 'createAttestation', statement)
      return { attestationId: String(attestationId) }
    },
    getAttestation: async (id) => {
      const row = await ask(`/index/attestations/${id}`)
      return { ...row, data: JSON.parse(String(row['data'])) as unknown }
    },
    revokeAttestation: (...call) => send('/sp/revoke-attestation', 'revokeAttestation', ...call),
  }
}
