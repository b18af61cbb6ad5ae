import { expect, test } from 'vitest'
import { formatFinding, formatFindingJson } from './formatFinding.ts'

const changed = {
  kind: 'difference',
  difference: {
    what: 'changed',
    chainId: 5,
    blockNumber: 7,
    subject: 'onchain_evm_5_0x1',
    field: 'data',
    stored: 'a\nb',
    expected: null,
    remedy: 'reindex',
  },
} as const

test('a finding is one line for people, and one record for programs', () => {
  expect(formatFinding(changed)).toBe(
    'changed: onchain_evm_5_0x1, data (chain 5, block 7): stored is "a\\nb", right is nothing',
  )
  expect(JSON.parse(formatFindingJson(changed))).toEqual({ type: 'difference', ...changed.difference })
  const unasked = { kind: 'unasked', chainId: 5, reason: 'no endpoint answered' } as const
  expect(formatFinding(unasked)).toBe('chain 5 could not be compared: no endpoint answered')
  expect(JSON.parse(formatFindingJson(unasked))).toEqual({
    type: 'unasked',
    chainId: 5,
    reason: 'no endpoint answered',
  })
})
