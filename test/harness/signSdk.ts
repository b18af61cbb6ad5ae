import { EvmChains, SignProtocolClient, SpMode } from '@ethsign/sp-sdk'
import { toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { LocalChain } from './localChain.ts'

/**
 * The official client of Sign Protocol (`@ethsign/sp-sdk`), as an application uses it, for the contract of a local
 * chain. `account` is the index of a demo account; its key signs. The SDK waits for receipts, so the chain must mine by
 * itself: `chain.setAutomine(true)`.
 */
export function createSignSdkClient(
  chain: Pick<LocalChain, 'url' | 'chainId' | 'address' | 'account'>,
  account: number,
): SignProtocolClient {
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
