import { expect, test } from 'vitest'
import { inputLengthMax, linkInAddress, readPrivateInput } from './offchainInput.ts'

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
  expect(linkInAddress({ hash: '#content', href: 'http://127.0.0.1:4000/verify#content' })).toBe('')
})
