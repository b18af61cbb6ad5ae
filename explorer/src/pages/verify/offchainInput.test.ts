import { expect, test } from 'vitest'
import {
  describeOther,
  inputLengthMax,
  isRecordProof,
  isStateProof,
  linkInAddress,
  readPrivateInput,
  readUid,
  readVerdict,
} from './offchainInput.ts'

test('finds a proof of private data, with or without the id of its attestation', () => {
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

test('a proof of a record is recognised by itself and within its answer', () => {
  const proof = { format: 'attestry-proof', version: 1 }
  expect(isRecordProof(JSON.stringify(proof))).toBe(true)
  expect(isRecordProof(`\n${JSON.stringify({ success: true, data: proof })}`)).toBe(true)
  for (const text of [
    '',
    '{}',
    '"attestry-proof"',
    '{"format":"attestry-proof"',
    '[{"format":"attestry-proof"}]',
  ])
    expect([text, isRecordProof(text)]).toEqual([text, false])
  const state = JSON.stringify({
    data: { format: 'attestry-state-proof', nodes: 'ab'.repeat(inputLengthMax) },
  })
  expect([isStateProof(state), isRecordProof(state), isStateProof(JSON.stringify(proof))]).toEqual([
    true,
    false,
    false,
  ])
})

test.each([
  [
    '{"success":true,"data":{"id":"onchain_evm_1_0x12","attester":"0x"}}',
    /record.*onchain_evm_1_0x12.*proof/,
  ],
  ['{"id":"onchain_evm_1_0x12"}', /record/],
  ['{"success":false,"message":"There is none."}', /There is none\./],
  ['{"rows":[{"subject":"0x","verdict":"allow"}]}', /without a signature/],
  ['{"success":true,"data":{"rows":[],"total":0}}', /a list/],
])('what this page does not check is named: %s', (text, sentence) => {
  expect(describeOther(text)).toMatch(sentence)
})

test.each(['', 'hello', '{"sig":{}}', '{"uid":"0x12","signer":"0x"}', 'https://easscan.org/x.y.z'])(
  'what may be an attestation is left to its checks: %s',
  (text) => expect(describeOther(text)).toBeNull(),
)

test('finds a signed verdict by itself, in a link and in the address of the page', () => {
  const token = 'eyJhbGciOiJFZERTQSJ9.eyJ2ZXJkaWN0IjoiYWxsb3cifQ.c2ln-_'
  const link = `https://attestry.example/verify#verdict=${token}`
  for (const text of [token, ` ${token}\n`, link]) expect(readVerdict(text)).toBe(token)
  for (const text of ['', 'eyJ', `${token}.x`, `${token} x`, '0x12']) expect(readVerdict(text)).toBeNull()
  expect(linkInAddress({ hash: new URL(link).hash, href: link })).toBe(token)
})
