import { expect, test } from 'vitest'
import { hashKey } from '@attestry/server/pipeline/access/apiKeys.ts'
import { runKeysCommand } from './runKeysCommand.ts'

test('makes a key, and the entry of the configuration that knows it', () => {
  const lines = runKeysCommand(['new', 'gatekeeper'])
  const key = /^key: (attestry_[\w-]{43})$/.exec(lines[0] ?? '')?.[1] ?? ''
  expect(lines.at(-1)).toBe(`    - { name: gatekeeper, hash: "${hashKey(key)}" }`)
  expect(runKeysCommand(['new'])[0]).not.toBe(lines[0])
})

test('says what the order is, and what a name is', () => {
  expect(() => runKeysCommand([])).toThrow('attestry keys takes the order new, and a name; there is none')
  expect(() => runKeysCommand(['old'])).toThrow('it is "old"')
  expect(() => runKeysCommand(['new', 'a b'])).toThrow(/must have letters, digits, dots/)
})
