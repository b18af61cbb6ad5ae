import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { openSealed, readSigningKey, sealManifest } from './signature.ts'

const makeKey = () =>
  readSigningKey(
    String(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })),
    'key.pem',
  )
const manifest = { format: 'attestry-chunks', chains: [{ chainId: 5, digest: '0x1' }] }
const open = (text: string, trusted: string | null = null) => openSealed(Buffer.from(text), trusted, 'here')

test('a manifest opens with and without a signature, and by the key that is trusted', () => {
  const key = makeKey()
  expect(open(sealManifest(manifest, null))).toEqual(manifest)
  expect(open(sealManifest(manifest, key))).toEqual(manifest)
  expect(open(sealManifest(manifest, key), key.publicKey)).toEqual(manifest)
})

test('a manifest that was changed, signed by another key, or not signed is refused', () => {
  const [key, other] = [makeKey(), makeKey()]
  const sealed = sealManifest(manifest, key)
  expect(() => open(sealed.replace('0x1', '0x2'))).toThrow(
    'The manifest of here was changed after it was signed',
  )
  expect(() => open(sealed.replace('0x1', '0x2'), key.publicKey)).toThrow('was changed after it was signed')
  expect(() => open(sealed, other.publicKey)).toThrow('is signed by another key')
  expect(() => open(sealManifest(manifest, null), key.publicKey)).toThrow('is not signed')
  expect(() => open('{"format"')).toThrow('is no JSON: it is cut, or was changed')
})

test.each([
  ['nested lists', '['.repeat(2 ** 20)],
  ['empty objects', `{"chains":[${'{},'.repeat(2 ** 21)}{}]}`],
])('a manifest that takes gigabytes once it is parsed is refused: %s', (_, text) => {
  expect(() => open(text)).toThrow('has more than 8 levels or 2000000 values of JSON')
})

test('a file that holds another key is refused', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  expect(() => readSigningKey(String(rsa.export({ format: 'pem', type: 'pkcs8' })), 'key.pem')).toThrow(
    ConfigError,
  )
  expect(() => readSigningKey('nothing', 'key.pem')).toThrow(
    'openssl genpkey -algorithm ed25519 -out key.pem makes one',
  )
})
