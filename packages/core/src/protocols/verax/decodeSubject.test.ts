import { encodeAbiParameters, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import { parseHex } from '../../model/hex.ts'
import { decodeSubject } from './decodeSubject.ts'

const checksummed = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const address = { kind: 'address', address: checksummed.toLowerCase() }
const text = (content: string) => ({ kind: 'text', text: content })

test.each<[string, `0x${string}`, unknown]>([
  ['20 bytes', checksummed, address],
  ['a padded address', encodeAbiParameters([{ type: 'address' }], [checksummed]), address],
  ['the text of an address', stringToHex(checksummed), address],
  ['a DID', stringToHex('did:key:z6MkhaXg'), text('did:key:z6MkhaXg')],
  ['text beyond ASCII', stringToHex('Zoë 😀'), text('Zoë 😀')],
  ['a text of 32 characters', stringToHex('a'.repeat(32)), text('a'.repeat(32))],
  ['no bytes', '0x', null],
  ['a hash', `0x${'8f'.repeat(32)}`, { kind: 'bytes', bytes: `0x${'8f'.repeat(32)}` }],
  ['text with a control character', stringToHex('a\0b'), { kind: 'bytes', bytes: stringToHex('a\0b') }],
  ['invalid UTF-8', '0xff61', { kind: 'bytes', bytes: '0xff61' }],
])('the recipient of %s', (_, bytes, recipient) => {
  const parsed = parseHex(bytes)
  expect(parsed === null ? undefined : decodeSubject(parsed)).toEqual(recipient)
})
