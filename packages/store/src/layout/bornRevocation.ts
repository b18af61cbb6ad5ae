import type { Hash } from '@attestry/core/model/hex.ts'
import type { Attestation } from '@attestry/core/model/records.ts'

/** The revocation that an attestation had from the beginning. */
export function bornRevocation(
  attestation: Attestation,
): { readonly timestamp: string; readonly transactionHash: Hash } | null {
  const { revocationAtRead, attestTimestamp, transactionHash } = attestation
  if (revocationAtRead.kind === 'none' || revocationAtRead.kind === 'claimed') return null
  return { timestamp: settledTimestamp(revocationAtRead.timestamp, attestTimestamp), transactionHash }
}

/** A record that was born revoked may hold no time of it: then it is that of its creation. */
export function settledTimestamp(claimed: bigint, attestTimestamp: number): string {
  return claimed > 0n ? claimed.toString() : attestTimestamp.toString()
}

/** The states of a claim that a record is revoked; stored in `revocation_claim.state`: never change a number. */
export const claimState = { pending: 0, settled: 1, overruled: 2 } as const
