import type { OffchainVerifier } from '@attestry/core/model/offchainRecord.ts'
import type { OffchainStorage } from './offchainStorage.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'

/** The context of a server, with the store. */
export interface StorageContext extends ApiContext {
  /** Null where nothing is stored. */
  readonly storage: OffchainStorage | null
}

/** The parts that the endpoints of off-chain attestations share. */
export interface OffchainContext extends StorageContext {
  readonly offchain: OffchainVerifier
}
