import type { OffchainVerifier } from '@attestry/core/model/offchainRecord.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import { addOffchainEndpoints } from './addOffchainEndpoints.ts'
import { addStoreEndpoints } from './addStoreEndpoints.ts'
import { createOffchainRecords, storageOf } from './createOffchainRecords.ts'
import { openStorage, type OffchainStorageOptions } from './offchainStorage.ts'

/** @param options null: nothing is stored or listed. */
export function serveOffchain(
  offchain: OffchainVerifier,
  options: OffchainStorageOptions | null,
): ServedWing {
  return {
    provides: ({ context, findKey, askerOf, isPrivate }) => {
      const storage =
        options === null ? null : openStorage(options, { findKey, askerOf }, isPrivate('offchain'))
      return { offchainRecords: createOffchainRecords(context, storage) }
    },
    endpoints: ({ context }) => {
      const parts = { ...context, storage: storageOf(context), offchain }
      return (scope) => {
        addOffchainEndpoints(scope, parts)
        addStoreEndpoints(scope, parts)
      }
    },
  }
}
