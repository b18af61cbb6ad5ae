import { expect, test } from 'vitest'
import { keywordOf, readLink } from './readLink.ts'

const uid = `0x${'ab'.repeat(32)}`
const account = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

test.each([
  [`https://easscan.org/attestation/view/${uid}`, '/attestation/$id', `onchain_evm_1_${uid}`, 'eas'],
  [`https://base.easscan.org/schema/view/${uid}`, '/schema/$id', `onchain_evm_8453_${uid}`, 'eas'],
  [
    ` https://base-sepolia.easscan.org/schema/view/${uid.toUpperCase().replace('X', 'x')} `,
    '/schema/$id',
    `onchain_evm_84532_${uid}`,
    'eas',
  ],
  [
    'https://scan.sign.global/attestation/onchain_evm_10_0x1a',
    '/attestation/$id',
    'onchain_evm_10_0x1a',
    'sign',
  ],
  [
    'https://testnet-scan.sign.global/schema/onchain_evm_11155111_0x2fc',
    '/schema/$id',
    'onchain_evm_11155111_0x2fc',
    'sign',
  ],
  [
    `https://explorer.ver.ax/linea/attestations/${uid}`,
    '/attestation/$id',
    `onchain_evm_59144_${uid}`,
    'verax',
  ],
  [
    `https://explorer.ver.ax/linea-sepolia/schemas/${uid}?tab=1#top`,
    '/schema/$id',
    `onchain_evm_59141_${uid}`,
    'verax',
  ],
  [
    'http://localhost:4000/attestation/onchain_evm_31337_0x40?protocol=verax',
    '/attestation/$id',
    'onchain_evm_31337_0x40',
    'verax',
  ],
  ['https://index.example/schema/onchain_evm_1_0x4', '/schema/$id', 'onchain_evm_1_0x4', undefined],
])('%s means one record', (link, page, id, protocol) => {
  expect(readLink(link)).toEqual({ page, id, protocol, keyword: id })
})

test('a link to an account means the account', () => {
  for (const host of ['optimism.easscan.org', 'scan.sign.global', 'index.example']) {
    expect(readLink(`https://${host}/address/${account}`)).toEqual({
      page: '/address/$address',
      keyword: account,
    })
  }
})

test('a record on a chain that the link does not tell is looked for by its id', () => {
  for (const link of [
    `https://some-new-chain.easscan.org/attestation/view/${uid}`,
    `https://constructor.easscan.org/attestation/view/${uid}`,
    `https://bascan.io/attestation/${uid}`,
  ]) {
    expect(readLink(link)).toEqual({ page: '/search', keyword: uid })
  }
})

test.each([
  'KYC Level 2',
  uid,
  'https://',
  `javascript://easscan.org/attestation/view/${uid}`,
  'https://easscan.org/attestations',
  'https://explorer.ver.ax/linea/attestations/my_attestations',
  'https://scan.sign.global/attestation/SPA_x1',
  'https://example.org/address/0x12',
  'https://example.org/constructor/0x12',
])('%s is looked for as it stands', (text) => {
  expect(readLink(text)).toBeNull()
  expect(keywordOf(` ${text} `)).toBe(text)
})
