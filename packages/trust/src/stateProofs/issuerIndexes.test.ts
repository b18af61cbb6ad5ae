import { expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { findIssuerIndexes } from './issuerIndexes.ts'
import table from './issuerIndexes.json' with { type: 'json' }

const addressOf = (text: string) => parseAddress(text) ?? zeroAddress

test('each index of the table stands there once, with addresses that have their checksums', () => {
  for (const { contract, attester } of table) {
    for (const address of [contract, ...(attester === null ? [] : [attester])]) {
      expect(checksumAddress(addressOf(address))).toBe(address)
    }
  }
  expect(new Set(table.map(({ name, chainId }) => `${name} ${chainId}`)).size).toBe(table.length)
})

test('the index of an attester comes before the one that nobody has to fill', () => {
  const attester = addressOf('0xCc90105D4A2aa067ee768120AdA19886021dF422')
  expect(findIssuerIndexes(534_352, attester).map(({ name, isComplete }) => [name, isComplete])).toEqual([
    ['passport', true],
    ['eas-indexer', false],
  ])
  expect(findIssuerIndexes(534_352, zeroAddress).map(({ name }) => name)).toEqual(['eas-indexer'])
})
