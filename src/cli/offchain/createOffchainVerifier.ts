import type { AskContractSigner, OffchainVerifier } from '../../model/offchainRecord.ts'
import { localIdOfUid } from '../../model/compositeId.ts'
import { checkOffchain } from '../../protocols/offchain/checkOffchain.ts'
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
    check: (record, now) =>
      checkOffchain(record, {
        now,
        askContractSigner,
        isKnownContract: (chainId, contract) => contracts.has(`${chainId} ${contract}`),
      }),
    privateDataSchema: localIdOfUid(privateDataSchemaUid),
    readPrivateProof,
  }
}
