import { expect, test } from 'vitest'
import { suggestName } from './suggestName.ts'

const names = ['chainId', 'name', 'rpc', 'protocols', 'finality']

test.each([
  ['chainid', 'chainId'],
  ['chianId', 'chainId'],
  ['protocol', 'protocols'],
  ['prc', 'rpc'],
  ['finalty', 'finality'],
  ['colour', null],
  ['', null],
])('%j was probably meant to be %j', (text, name) => {
  expect(suggestName(text, names)).toBe(name)
})
