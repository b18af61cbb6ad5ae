import { walkSlices } from '@attestry/server/records/slices.ts'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { RowPlace, StoredAnchor } from '@attestry/core/index/storedRecords.ts'
import type { OffchainStore } from '../offchainStore/offchainStore.ts'

/** Most revocations on chain that one filter compares with the store. */
const revocationsMax = 10_000

/**
 * The sequences of the entries that their signers revoked on chain.
 * @param signer the only signer that is of interest; null: all.
 * @throws BadParameterError if the index has too many revocations.
 */
export async function findRevoked(
  reader: PastReader,
  store: OffchainStore,
  signer: Address | null,
): Promise<readonly number[]> {
  const filter = { value: null, kind: 'RevokedOffchain', account: signer, chainId: null }
  const revocations: StoredAnchor[] = []
  const slice = (after: RowPlace | null, limit: number) =>
    reader.sliceAnchors({ filter, order: 'newestFirst', after, limit })
  for await (const rows of walkSlices(slice)) {
    revocations.push(...rows)
    if (revocations.length > revocationsMax) {
      throw new BadParameterError(
        `revoked compares at most ${revocationsMax} revocations on chain with the store; add attester.`,
      )
    }
  }
  return await store.findSequences(
    revocations.flatMap(({ place: { chainId }, protocol, value: localId, account }) =>
      account === null ? [] : [{ chainId, protocol, localId, signer: account }],
    ),
  )
}
