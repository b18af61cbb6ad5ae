import type { ApiContext } from '@attestry/server/apiContext.ts'
import type { OffchainRecords } from '@attestry/server/records/offchainRecords.ts'
import { isTombstone } from '../offchainStore/offchainStore.ts'
import { answerOffchain, findOffchain, findOfSigner, presentStored } from './answerOffchain.ts'
import { answerOffchainListing } from './answerOffchainListing.ts'
import { readAsIndexed } from './offchainAttestation.ts'
import type { StorageContext } from './offchainContext.ts'
import type { OffchainStorage } from './offchainStorage.ts'
import { createSdkRecords } from './sdkOffchain.ts'

interface StoredRecords extends OffchainRecords {
  readonly storage: OffchainStorage | null
}

/**
 * The records of the store for the interfaces of a server.
 * @param base the context of the server, to which later wings may add.
 * @param storage null if nothing is stored.
 */
export function createOffchainRecords(base: ApiContext, storage: OffchainStorage | null): StoredRecords {
  const contextOf = (): StorageContext => ({ ...base, storage })
  return {
    storage,
    mayGrow: storage !== null,
    answer: (reader, id, include, signer) => answerOffchain(contextOf(), reader, id, include, signer),
    find: async (reader, id, include) => {
      const context = contextOf()
      const entry = await findOffchain(context, id)
      return entry === null ? null : await presentStored(context, reader, entry, include)
    },
    list: (reader, request) => answerOffchainListing(contextOf(), reader, request),
    findIndexed: async (reader, id, signer) => {
      const found = await findOfSigner(contextOf(), id, signer)
      if (storage === null || found === null || isTombstone(found) || found.chainId === null) return null
      const attestation = await readAsIndexed(reader, found.chainId, found)
      return { ...attestation, signers: await storage.store.signersOf(found.id) }
    },
    sdk: createSdkRecords(contextOf),
  }
}

/** The store behind the off-chain records of a server; null if nothing is stored. */
export function storageOf({ offchainRecords }: Pick<ApiContext, 'offchainRecords'>): OffchainStorage | null {
  // Only this package brings records, always with their store.
  return (offchainRecords as Partial<StoredRecords>).storage ?? null
}
