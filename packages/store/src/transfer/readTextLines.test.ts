import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTextLines } from './readTextLines.ts'

test('the lines of a text are the same whatever its pieces', async () => {
  const line = fc.array(fc.constantFrom('a', 'é', '€', '😀'), { maxLength: 5 }).map((each) => each.join(''))
  const given = fc.record({ lines: fc.array(line), pieceLength: fc.integer({ min: 1, max: 12 }) })
  await fc.assert(
    fc.asyncProperty(given, async ({ lines, pieceLength }) => {
      const bytes = new TextEncoder().encode(lines.map((each) => `${each}\n`).join(''))
      expect(await Array.fromAsync(readTextLines(piecesOf(bytes, pieceLength)))).toEqual(lines)
    }),
  )
})

test('rejects a text that ends within a line as cut', async () => {
  const bytes = new TextEncoder().encode('one\ntwo')
  await expect(Array.fromAsync(readTextLines(piecesOf(bytes, 4)))).rejects.toThrow('the export is cut')
})

async function* piecesOf(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}
