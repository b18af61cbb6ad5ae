import { expect, test } from 'vitest'
import { queryOf, readAttestationsSearch, statusFilterOf, statusParameters } from './attestationsSearch.ts'

test('reads known parameters of a URL and ignores the rest', () => {
  const search = readAttestationsSearch({
    chainId: '1',
    revoked: 'maybe',
    attestedFrom: '1e3',
    page: '3',
    other: 'x',
  })
  expect(search).toMatchObject({ chainId: '1', revoked: undefined, attestedFrom: undefined, page: 3 })
  expect(queryOf(search)).toEqual({ chainId: '1' })
})

test('asks with a keyword for nothing else but a schema, as the interface has it', () => {
  expect(queryOf({ keyword: '0x2', schemaId: 'onchain_evm_1_0x1', chainId: '1', revoked: 'true' })).toEqual({
    keyword: '0x2',
    schemaId: 'onchain_evm_1_0x1',
  })
})

test.each(['', 'valid', 'revoked', 'expired'] as const)(
  'a status %s comes back from its parameters',
  (status) => {
    expect(statusFilterOf(statusParameters(status))).toBe(status)
  },
)
