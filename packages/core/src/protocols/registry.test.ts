import { expect, test } from 'vitest'
import { protocolNames } from '../model/protocolNames.ts'

test('protocols with ids of 32 bytes are registered in the order of their names, so that a new one changes no id', () => {
  // Sign Protocol has ids of at most 16 digits.
  const withUids = protocolNames.filter((name) => name !== 'sign')
  expect(withUids).toEqual(withUids.toSorted())
})
