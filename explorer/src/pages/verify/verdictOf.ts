import type { VerifiedOffchain } from '../../api/types.ts'

/**
 * The result of a verification. `unconfirmed`: nothing speaks against it, but not everything is known here. `asked`:
 * the index has not answered yet.
 */
export interface Verdict {
  readonly kind: 'valid' | 'invalid' | 'unconfirmed' | 'asked'
  readonly words: string
}

/** The checks that need only the text. */
const ownChecks: ReadonlySet<string> = new Set(['format', 'uid', 'domain', 'signature'])

export function verdictOf({
  valid,
  expired,
  revokedAt,
  checks,
}: Pick<VerifiedOffchain, 'valid' | 'expired' | 'revokedAt' | 'checks'>): Verdict {
  if (valid) return { kind: 'valid', words: 'This attestation holds' }
  const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name)
  if (failed.includes('format')) return { kind: 'invalid', words: 'This is no attestation that can be read' }
  if (failed.some((name) => ownChecks.has(name)))
    return { kind: 'invalid', words: 'This attestation does not hold' }
  if (revokedAt !== null) return { kind: 'invalid', words: 'This attestation was revoked' }
  if (expired) return { kind: 'invalid', words: 'This attestation has expired' }
  return { kind: 'unconfirmed', words: 'This attestation cannot be confirmed here' }
}
