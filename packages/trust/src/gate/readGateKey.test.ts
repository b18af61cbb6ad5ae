import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readGateKey } from './readGateKey.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-key-'))
afterAll(() => rmSync(folder, { recursive: true }))
const pem = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

function fileOf(text: string): string {
  const path = join(folder, 'key.pem')
  writeFileSync(path, text)
  return path
}

test('a key is the text itself, or in a file', () => {
  const { kid } = readGateKey(pem).signingKey.publicJwk
  expect(readGateKey(fileOf(pem))).toMatchObject({ text: pem, signingKey: { publicJwk: { kid } } })
})

test.each([
  [
    '/no/key.pem',
    'The file "/no/key.pem" that server.gate.key names does not exist; openssl genpkey -algorithm ed25519 makes a key',
  ],
  ['/', 'The file "/" that server.gate.key names is a folder; name a file'],
  [
    '${GATE_KEY}',
    'server.gate.key names the environment variable GATE_KEY, which is not set or empty; set it',
  ],
])('%s is told', (setting, sentence) => {
  expect(() => readGateKey(setting)).toThrow(sentence)
})

test('no message holds a part of a key', () => {
  const bare = pem.replaceAll(/-----.*-----|\n/g, '')
  for (const wrong of [bare, pem.slice(0, 70), pem.replace('PRIVATE', 'EC PRIVATE'), fileOf(bare)]) {
    let message = ''
    try {
      readGateKey(wrong)
    } catch (error) {
      message = String(error)
    }
    expect(message).toMatch(/server\.gate\.key/)
    expect(message).not.toContain(bare.slice(0, 12))
    expect(message).not.toContain(bare.slice(-12))
  }
})
