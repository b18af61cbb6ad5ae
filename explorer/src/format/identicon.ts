/** The picture of an address: cells of a mirrored 5 × 5 grid, and two hues. */
export interface Identicon {
  /** Whether each cell is painted, row by row. */
  readonly cells: readonly boolean[]
  /** In degrees. */
  readonly hue: number
  readonly secondHue: number
}

const side = 5

/** The identicon depends on the address regardless of case. Addresses that differ in a digit hardly ever look alike. */
export function identicon(text: string): Identicon {
  const next = generator(text.toLowerCase())
  const hue = Math.floor(next() * 360)
  const secondHue = (hue + 60 + Math.floor(next() * 150)) % 360
  const cells = new Array<boolean>(side * side).fill(false)
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < 3; column++) {
      const painted = next() < 0.55
      cells[row * side + column] = painted
      cells[row * side + side - 1 - column] = painted
    }
  }
  return { cells, hue, secondHue }
}

/** FNV-1a as a seed of mulberry32: small, and every character counts. */
function generator(text: string): () => number {
  let seed = 0x811c9dc5
  for (let i = 0; i < text.length; i++) seed = Math.imul(seed ^ text.charCodeAt(i), 0x01000193)
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
