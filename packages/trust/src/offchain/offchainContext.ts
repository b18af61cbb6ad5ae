import type { OffchainVerifier } from '@attestry/core/model/offchainRecord.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'

/** The parts that the endpoints of off-chain attestations share. */
export interface OffchainContext extends ApiContext {
  readonly offchain: OffchainVerifier
}
