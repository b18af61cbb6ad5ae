import { expect, test } from 'vitest'
import { identicon } from './identicon.ts'

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

test('is the same for an address in any case, and mirrored', () => {
  const { cells } = identicon(address)
  expect(identicon(address.toLowerCase())).toEqual(identicon(address))
  for (let row = 0; row < 5; row++) {
    const line = cells.slice(row * 5, row * 5 + 5)
    expect(line.toReversed()).toEqual(line)
  }
})

test('differs for addresses that look alike when shortened', () => {
  const alike = address.replace('b50e', 'b50f')
  expect(identicon(alike)).not.toEqual(identicon(address))
})
