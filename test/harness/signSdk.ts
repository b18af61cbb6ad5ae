import { decodeEventLog, toHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createDevClient, sendTransaction } from '@attestry/demo/devChain.ts'
import { signAbi } from '@attestry/demo/signAbi.ts'
import { requireSdk, usesSdks } from '../sdks/installedSdks.ts'
import { recorded } from '../sdks/recordings.ts'
import type { LocalChain } from './localChain.ts'

/** The calls of `SignProtocolClient` of `@ethsign/sp-sdk` in on-chain mode that are used. */
export interface SignSdkClient {
  createSchema(schema: object): Promise<{ readonly schemaId: string; readonly txHash?: string }>
  createAttestation(
    attestation: object,
    options?: object,
  ): Promise<{ readonly attestationId: string; readonly txHash?: string }>
  revokeAttestation(attestationId: string, options?: object): Promise<{ readonly txHash?: string }>
}

interface Sdk {
  readonly SignProtocolClient: new (mode: string, options: object) => SignSdkClient & { client: unknown }
  readonly SpMode: { readonly OnChain: string }
  readonly EvmChains: { readonly sepolia: string }
}

type Connected = Pick<LocalChain, 'url' | 'chainId' | 'address' | 'account'>

/** `RecipientEncodingType` of the SDK. */
export const recipientsAsAddresses = { recipientEncodingType: 'address' }

const file = 'signOnchain'
const methods = ['createSchema', 'createAttestation', 'revokeAttestation'] as const

/**
 * The official client of Sign Protocol, as an application uses it, for the contract of a local chain. In `npm test`, it
 * is a client that sends the calldata recorded from the official one for the same calls. `account` is the index of the
 * demo account that signs. The chain must mine by itself: `chain.setAutomine(true)`.
 */
export function createSignSdkClient(chain: Connected, account: number): SignSdkClient {
  const devClient = createDevClient(chain.url)
  const sdk = usesSdks ? createSdkClient(chain, account) : null
  const from = chain.account(account).address
  const calls = methods.map((method) => [
    method,
    async (...call: readonly unknown[]) => {
      const made = sdk && ((await Reflect.apply(sdk[method], sdk, call)) as { readonly txHash: Hex })
      const input = await recorded(file, [account, method, ...call], async () => {
        const hash = made?.txHash ?? '0x'
        return (await devClient.getTransaction({ hash })).input
      })
      if (made !== null) return made
      const txHash = await sendTransaction(devClient, { from, to: chain.address, data: input })
      const { logs } = await devClient.waitForTransactionReceipt({ hash: txHash })
      const [{ topics, data } = { topics: [], data: '0x' as const }] = logs
      const { args } = decodeEventLog({ abi: signAbi, topics: [...topics] as [Hex], data })
      const ids = Object.entries(args ?? {}).filter(([name]) => /^(schema|attestation)Id$/.test(name))
      return { txHash, ...Object.fromEntries(ids.map(([name, id]) => [name, toHex(id as bigint)])) }
    },
  ])
  return Object.fromEntries(calls)
}

function createSdkClient(chain: Connected, account: number): SignSdkClient {
  const { SignProtocolClient, SpMode, EvmChains } = requireSdk<Sdk>('@ethsign/sp-sdk')
  const { privateKey } = chain.account(account).getHdKey()
  if (privateKey === null) throw new TypeError('A demo account has a key.')
  const client = new SignProtocolClient(SpMode.OnChain, {
    chain: EvmChains.sepolia,
    rpcUrl: chain.url,
    account: privateKeyToAccount(toHex(privateKey)),
  })
  // The SDK knows only the published deployments; its record of a deployment is a public member that can be replaced.
  const onChain: unknown = client.client
  if (!isOnChainClient(onChain)) throw new TypeError('The SDK made no on-chain client.')
  onChain.contractInfo = { ...onChain.contractInfo, address: chain.address }
  onChain.chain = { ...onChain.chain, id: chain.chainId }
  return client
}

interface OnChainClient {
  contractInfo: { address: string }
  chain: { id: number }
}

function isOnChainClient(client: unknown): client is OnChainClient {
  return typeof client === 'object' && client !== null && 'contractInfo' in client && 'chain' in client
}
