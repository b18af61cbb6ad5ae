/** The measures of a TrueType font. */
export interface Font {
  has(codePoint: number): boolean
  /** The width of a character, in parts of the font size; 0 for a character that the font lacks. */
  widthOf(codePoint: number): number
}

/** The encoding of all of Unicode in a `cmap` table. */
const wholeUnicode = 12
const groupBytes = 12

/**
 * Reads which characters a font has and how wide they are (OpenType 1.9, tables `cmap`, `head`, `hhea` and `hmtx`).
 * @throws TypeError for a font without a table of all of Unicode.
 */
export function readFont(file: Uint8Array): Font {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const tables = new Map<string, number>()
  for (let at = 12; at < 12 + view.getUint16(4) * 16; at += 16) {
    tables.set(Buffer.from(file.subarray(at, at + 4)).toString('latin1'), view.getUint32(at + 8))
  }
  const startOf = (name: string): number => {
    const start = tables.get(name)
    if (start === undefined) throw new TypeError(`the font has no table ${name}`)
    return start
  }
  const [cmap, widths] = [startOf('cmap'), startOf('hmtx')]
  const unitsPerEm = view.getUint16(startOf('head') + 18)
  const widthCount = view.getUint16(startOf('hhea') + 34)
  const encodings = Array.from(
    { length: view.getUint16(cmap + 2) },
    (_, number) => cmap + view.getUint32(cmap + 4 + number * 8 + 4),
  )
  const encoding = encodings.find((start) => view.getUint16(start) === wholeUnicode)
  if (encoding === undefined) throw new TypeError('the font has no table of all of Unicode')
  const groups = Array.from({ length: view.getUint32(encoding + 12) }, (_, number) => {
    const at = encoding + 16 + number * groupBytes
    return { first: view.getUint32(at), last: view.getUint32(at + 4), glyph: view.getUint32(at + 8) }
  })

  /** The glyph of a character; 0 for none. */
  function glyphOf(codePoint: number): number {
    const group = groups.find(({ first, last }) => first <= codePoint && codePoint <= last)
    return group === undefined ? 0 : group.glyph + codePoint - group.first
  }

  return {
    has: (codePoint) => glyphOf(codePoint) !== 0,
    widthOf: (codePoint) => {
      const glyph = glyphOf(codePoint)
      return glyph === 0 ? 0 : view.getUint16(widths + Math.min(glyph, widthCount - 1) * 4) / unitsPerEm
    },
  }
}
