import type {
  AskContractSigner,
  OffchainVerifier,
  RecoverPublicKey,
} from '@attestry/core/model/offchainRecord.ts'
import { localIdOfUid } from '@attestry/core/model/compositeId.ts'
import { privateDataSchemaUid, readPrivateProof } from '../statements/privateData.ts'
import { readOffchain } from '../statements/readOffchain.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'

/** The verifier of the API: contracts of the configuration are known beside the published ones. */
export function createOffchainVerifier(
  chains: readonly Pick<ChainConfig, 'chainId' | 'deployments'>[],
  askContractSigner: AskContractSigner,
): OffchainVerifier {
  const contracts = new Set(
    chains.flatMap(({ chainId, deployments }) => deployments.map(({ address }) => `${chainId} ${address}`)),
  )
  // Made on demand: most processes that serve never recover a signature.
  let quickRecovery: Promise<RecoverPublicKey> | null = null
  return {
    read: readOffchain,
    check: async (record, now) => {
      const { checkOffchain } = await import('../statements/checkOffchain.ts')
      quickRecovery ??= import('./recoverQuickly.ts').then((module) => module.createQuickRecovery())
      return await checkOffchain(record, {
        now,
        askContractSigner,
        recoverPublicKey: await quickRecovery,
        isKnownContract: (chainId, contract) => contracts.has(`${chainId} ${contract}`),
      })
    },
    privateDataSchema: localIdOfUid(privateDataSchemaUid),
    readPrivateProof,
  }
}
