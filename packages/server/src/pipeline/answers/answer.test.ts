import { expect, test } from 'vitest'
import { hashedAtOnce, hashLong } from './answer.ts'

test('long contents that differ in the character at the end of a piece have different hashes', async () => {
  const around = (character: string) => `${'x'.repeat(hashedAtOnce - 1)}${character}y`
  const hashes = await Promise.all(['😀', '😁', '😀'].map((character) => hashLong(around(character))))
  expect(hashes[0]).not.toBe(hashes[1])
  expect(hashes[0]).toBe(hashes[2])
})
