import { expect, test } from 'vitest'
import { inputLengthMax, linkInAddress, readPrivateInput, readUid } from './offchainInput.ts'

test('a proof of private data is found alone or beside the id of its attestation', () => {
  const proof = { leaves: [], proof: [], proofFlags: [] }
  expect(readPrivateInput(` ${JSON.stringify(proof)}\n`)).toEqual({ attestationId: '', proof })
  const input = { attestationId: 'onchain_evm_1_0x12', proof }
  expect(readPrivateInput(JSON.stringify(input))).toEqual(input)
})

test.each([
  '',
  '"proofFlags"',
  '["proofFlags"]',
  '{"sig":{},"signer":"\\"proofFlags\\""}',
  '{"proofFlags"',
  `{"proofFlags":[]${' '.repeat(inputLengthMax)}}`,
])('any other text holds none', (text) => {
  expect(readPrivateInput(text)).toBeNull()
})

test('the address of the page holds a link where its fragment is an attestation', () => {
  const href = 'http://127.0.0.1:4000/offchain/url/#attestation=eNo'
  expect(linkInAddress({ hash: '#attestation=eNo', href })).toBe(href)
  const shared = 'http://127.0.0.1:4000/offchain/url/#utm_source=x&attestation=eNo'
  expect(linkInAddress({ hash: '#utm_source=x&attestation=eNo', href: shared })).toBe(shared)
  expect(linkInAddress({ hash: '#content', href: 'http://127.0.0.1:4000/verify#content' })).toBe('')
})

const uid = `0x${'5a'.repeat(32)}`

test.each([
  [` ${uid.toUpperCase().replace('X', 'x')}\n`, uid],
  [`onchain_evm_1_${uid}`, `onchain_evm_1_${uid}`],
  ['0x1a', '0x1a'],
  [`https://base.easscan.org/attestation/view/${uid}`, uid],
  [`https://easscan.org/offchain/attestation/view/${uid}?utm_source=x#y`, uid],
  [`https://other.example/attestation/onchain_evm_10_${uid}`, `onchain_evm_10_${uid}`],
  ['', null],
  ['hello', null],
  [`{"uid":"${uid}"}`, null],
  [`0x${'ab'.repeat(20)}`, null],
  [`https://easscan.org/schema/view/${uid}`, null],
  ['https://easscan.org/offchain/url/#attestation=eNo', null],
])('the uid in %j is %j', (text, expected) => {
  expect(readUid(text)).toBe(expected)
})
