import { expect, test } from 'vitest'
import { countCode } from './countedBy.ts'

const base = 'https://index.example'

test('counts have the same filters by REST and by SQL', () => {
  const { curl, sql } = countCode('attester', { chainId: '10', schemaId: 'onchain_evm_10_0x1' }, base)
  expect(curl).toBe(
    `curl '${base}/scan/aggregate/attestations?by=attester&chainId=10&schemaId=onchain_evm_10_0x1'`,
  )
  expect(sql).toContain(
    "FROM attestry.attestations WHERE chain_id = 10 AND schema_id = 'onchain_evm_10_0x1'\nGROUP BY",
  )
  expect(countCode('field', {}, base, 'person.city').sql).toContain(
    "attestry.fields WHERE path = 'person.city'",
  )
  expect(countCode('recipients', {}, base).sql).toContain(
    'FROM (SELECT recipient AS account, min(attested_at) AS first FROM attestry.attestations, ',
  )
})

test('filters of a link end neither the text of a shell nor one of SQL', () => {
  const { curl, sql } = countCode(
    'field',
    { chainId: '1; DROP TABLE x', protocol: "eas' OR 1=1 --", schemaId: "x\u202E'" },
    base,
    "a'b",
  )
  expect(curl).not.toMatch(/'.*'.*'/s)
  expect(sql).toContain("WHERE protocol = 'eas'' OR 1=1 --' AND schema_id = 'x''' AND path = 'a''b'")
  expect(sql).not.toContain('DROP')
})
