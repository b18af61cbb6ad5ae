import { expect, test } from 'vitest'
import { attestationStatus } from './attestationStatus.ts'

test.each([
  ['0', false, 'valid'],
  ['18446744073709551615', false, 'valid'],
  ['1000', false, 'expired'],
  ['1001', false, 'expiring'],
  ['999999', false, 'valid'],
  ['1', true, 'revoked'],
])('valid until %s, revoked %s: %s', (validUntil, revoked, kind) => {
  expect(attestationStatus({ validUntil, revoked }, 1000).kind).toBe(kind)
})
