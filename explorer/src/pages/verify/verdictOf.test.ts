import { expect, test } from 'vitest'
import type { VerifiedOffchain } from '../../api/types.ts'
import { verdictOf } from './verdictOf.ts'

function verdict(failing: readonly string[], more: Partial<VerifiedOffchain> = {}) {
  const checks = ['format', 'uid', 'signature', 'schema', 'expiry', 'revocation'].map((name) => ({
    name,
    ok: !failing.includes(name),
    message: '',
  }))
  const verified = { valid: failing.length === 0, expired: false, revokedAt: null, checks, ...more }
  return verdictOf(verified as VerifiedOffchain)
}

test('the headline names what matters most', () => {
  expect(verdict([])).toEqual({ kind: 'valid', words: 'This attestation holds' })
  expect(verdict(['format', 'uid', 'signature']).words).toMatch(/can be read/)
  expect(verdict(['signature', 'revocation'], { revokedAt: 1 }).words).toMatch(/does not hold/)
  expect(verdict(['revocation', 'expiry'], { revokedAt: 1, expired: true }).words).toMatch(/revoked/)
  expect(verdict(['expiry'], { expired: true }).words).toMatch(/expired/)
  expect(verdict(['schema', 'revocation'])).toMatchObject({ kind: 'unconfirmed' })
})
