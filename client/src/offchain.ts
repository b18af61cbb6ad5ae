/** The entry of `@attestry/client/offchain`: what the service computes of off-chain attestations, without a request. */

import { verifyAlone, type VerifiedAlone } from '@attestry/trust/statements/verifyAlone.ts'
import { writeOffchain } from './writeOffchain.ts'

export { checkNames } from '@attestry/core/model/offchainRecord.ts'
export { readPrivateProof } from '@attestry/trust/statements/privateData.ts'
export type { ReadPrivateProof } from '@attestry/core/model/offchainRecord.ts'
export type { VerifiedAlone } from '@attestry/trust/statements/verifyAlone.ts'

export interface VerifyOptions {
  /** The time at which the attestation shall hold, in Unix seconds; now by default. */
  readonly now?: number
}

/**
 * Verifies an envelope of EAS or BAS, a signed body of Sign Protocol (text or parsed), or a link that holds an
 * envelope, without network access. Schema, payload, revocation and contracts as signers are left to
 * `client.verifyOffchain`, which asks an index. Never rejects, whatever the text.
 */
export async function verifyOffchain(
  input: string | object,
  { now }: VerifyOptions = {},
): Promise<VerifiedAlone> {
  return await verifyAlone(typeof input === 'string' ? input : writeOffchain(input), now)
}
