import type { OffchainVerifier } from '@attestry/core/model/offchainRecord.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import { addOffchainEndpoints } from './addOffchainEndpoints.ts'
import { addStoreEndpoints } from './addStoreEndpoints.ts'
import { openStorage, type OffchainStorageOptions } from './offchainStorage.ts'

/** @param storage null: nothing is stored or listed. */
export function serveOffchain(
  offchain: OffchainVerifier,
  storage: OffchainStorageOptions | null,
): ServedWing {
  return {
    provides: ({ findKey, askerOf, isPrivate }) =>
      storage === null ? {} : { storage: openStorage(storage, { findKey, askerOf }, isPrivate('offchain')) },
    endpoints: ({ context }) => {
      const parts = { ...context, offchain }
      return (scope) => {
        addOffchainEndpoints(scope, parts)
        addStoreEndpoints(scope, parts)
      }
    },
  }
}
