/** The status of an attestation at a time. `expiring`: less than a week is left. */
export type AttestationStatus =
  | { readonly kind: 'valid' | 'revoked' }
  /** `at` in Unix seconds. */
  | { readonly kind: 'expired' | 'expiring'; readonly at: number }

const soonSeconds = 7 * 86_400

/** @param nowSeconds by the reader's clock. A revoked attestation is `revoked`, whether it has expired or not. */
export function attestationStatus(
  attestation: { readonly revoked: boolean; readonly validUntil: string },
  nowSeconds: number,
): AttestationStatus {
  if (attestation.revoked) return { kind: 'revoked' }
  const at = Number(attestation.validUntil)
  if (at === 0) return { kind: 'valid' }
  if (at <= nowSeconds) return { kind: 'expired', at }
  return at - nowSeconds < soonSeconds ? { kind: 'expiring', at } : { kind: 'valid' }
}
