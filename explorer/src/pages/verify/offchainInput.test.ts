import { expect, test } from 'vitest'
import { inputLengthMax, linkInAddress, readOffchainInput } from './offchainInput.ts'

test('a link is sent as a link, JSON as it is', () => {
  const link = 'https://easscan.org/offchain/url/#attestation=eNo'
  expect(readOffchainInput(` ${link}\n`)).toEqual({ kind: 'body', body: { url: link } })
  expect(readOffchainInput('{"sig":{},"note":"#attestation="}')).toEqual({
    kind: 'body',
    body: { sig: {}, note: '#attestation=' },
  })
})

test.each(['', '  ', 'hello', '[1]', '5', 'null', '{"a":', 'x'.repeat(inputLengthMax + 1)])(
  'says what is wrong',
  (text) => {
    expect(readOffchainInput(text)).toMatchObject({ kind: 'mistake', message: expect.stringMatching(/\.$/) })
  },
)

test('the address of the page holds a link where its fragment is an attestation', () => {
  const href = 'http://127.0.0.1:4000/offchain/url/#attestation=eNo'
  expect(linkInAddress({ hash: '#attestation=eNo', href })).toBe(href)
  expect(linkInAddress({ hash: '#content', href: 'http://127.0.0.1:4000/verify#content' })).toBe('')
})
