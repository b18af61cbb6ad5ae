import type { AskContractSigner, OffchainVerifier } from '../../model/offchainRecord.ts'
import { localIdOfUid } from '../../model/compositeId.ts'
import { privateDataSchemaUid, readPrivateProof } from '../../protocols/offchain/privateData.ts'
import { readOffchain } from '../../protocols/offchain/readOffchain.ts'
import type { ChainConfig } from '../config/resolveChains.ts'

/** The verifier of the API: contracts of the configuration are known beside the published ones. */
export function createOffchainVerifier(
  chains: readonly Pick<ChainConfig, 'chainId' | 'deployments'>[],
  askContractSigner: AskContractSigner,
): OffchainVerifier {
  const contracts = new Set(
    chains.flatMap(({ chainId, deployments }) => deployments.map(({ address }) => `${chainId} ${address}`)),
  )
  return {
    read: readOffchain,
    check: async (record, now) => {
      // Loaded on demand: most processes that serve never recover a signature.
      const { checkOffchain } = await import('../../protocols/offchain/checkOffchain.ts')
      return await checkOffchain(record, {
        now,
        askContractSigner,
        isKnownContract: (chainId, contract) => contracts.has(`${chainId} ${contract}`),
      })
    },
    privateDataSchema: localIdOfUid(privateDataSchemaUid),
    readPrivateProof,
  }
}
