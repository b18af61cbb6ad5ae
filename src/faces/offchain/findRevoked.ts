import { BadParameterError } from '../../errors/apiErrors.ts'
import type { Address } from '../../model/hex.ts'
import { endOf } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { StoredAnchor } from '../../store/storedRecords.ts'
import type { OffchainStore } from '../../offchainStore/offchainStore.ts'

/** Most revocations on chain that one filter compares with the store. */
const revocationsMax = 10_000

/**
 * The sequences of the entries that their signers revoked on chain.
 * @param signer the only signer that is of interest; null: all.
 * @throws BadParameterError where the index has too many revocations.
 */
export async function findRevoked(
  reader: IndexReader,
  store: OffchainStore,
  signer: Address | null,
): Promise<readonly number[]> {
  const filter = { value: null, kind: 'RevokedOffchain', account: signer }
  const revocations: StoredAnchor[] = []
  for (let after: StoredAnchor['place'] | null = null, hasMore = true; hasMore;) {
    const slice = await reader.sliceAnchors({ filter, order: 'newestFirst', after, limit: 1_000 })
    revocations.push(...slice.rows)
    if (revocations.length > revocationsMax) throw tooMany()
    after = endOf(slice)
    hasMore = slice.hasMore && after !== null
  }
  return await store.findSequences(
    revocations.flatMap(({ place: { chainId }, protocol, value: localId, account }) =>
      account === null ? [] : [{ chainId, protocol, localId, signer: account }],
    ),
  )
}

function tooMany(): BadParameterError {
  return new BadParameterError(
    `revoked compares at most ${revocationsMax} revocations on chain with the store; add attester.`,
  )
}
