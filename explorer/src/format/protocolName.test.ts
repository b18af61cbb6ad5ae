import { expect, test } from 'vitest'
import { protocolName } from './protocolName.ts'

const on = (...names: readonly string[]) => ({
  deployments: names.map((name) => ({ protocol: 'eas', name, address: '0x', startBlock: 0 })),
})

test('a protocol has the names of its deployments, each once', () => {
  expect(protocolName([on('BAS')], 'eas')).toBe('BAS')
  expect(protocolName([on('EAS'), on('BAS'), on('EAS')], 'eas')).toBe('EAS, BAS')
})

test('a protocol without a known deployment has the name of the interface', () => {
  expect(protocolName(undefined, 'eas')).toBe('eas')
  expect(protocolName([on('EAS')], 'sign')).toBe('sign')
})
