import { expect, test } from 'vitest'
import { readLink } from '../search/readLink.ts'
import { protocolPage } from './protocolPage.ts'

const uid = `0x${'ab'.repeat(32)}`

test.each([
  ['eas', '1', uid, `https://easscan.org/attestation/view/${uid}`],
  ['eas', '84532', uid, `https://base-sepolia.easscan.org/attestation/view/${uid}`],
  ['verax', '59144', uid, `https://explorer.ver.ax/linea/attestations/${uid}`],
  ['sign', '10', '0x1a', 'https://scan.sign.global/attestation/onchain_evm_10_0x1a'],
  ['sign', '11155111', '0x1a', 'https://testnet-scan.sign.global/attestation/onchain_evm_11155111_0x1a'],
])(
  'a record of %s on chain %s has a page, whose link leads back to the record',
  (protocol, chainId, localId, href) => {
    const id = `onchain_evm_${chainId}_${localId}`
    expect(protocolPage(protocol, 'attestation', { id, chainId, localId })?.href).toBe(href)
    expect(readLink(href)).toMatchObject({ page: '/attestation/$id', id, protocol })
  },
)

test.each([
  ['eas', '56'],
  ['eas', '31337'],
  [undefined, '1'],
])('a record of %s on chain %s has none', (protocol, chainId) => {
  const id = `onchain_evm_${chainId}_${uid}`
  expect(protocolPage(protocol, 'schema', { id, chainId, localId: uid })).toBeNull()
})
