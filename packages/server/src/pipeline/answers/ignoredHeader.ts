/** Names the parameters of a request that were ignored. */
export const ignoredHeader = 'x-attestry-ignored'

/** Longest name that the header repeats, in characters, and its longest value. */
const nameLengthMax = 32
const valueLengthMax = 256

/**
 * The header as a list of its name and its value; null if nothing was ignored. The value is the names separated by
 * commas, percent-encoded but for brackets, and `...` for the rest where they are many or long.
 */
export function ignoredHeaders(names: readonly string[]): readonly string[] | null {
  if (names.length === 0) return null
  let value = ''
  for (const name of names) {
    const shown = formatName(name)
    if (value.length + shown.length > valueLengthMax) return [ignoredHeader, `${value}...`]
    value += `${shown}, `
  }
  return [ignoredHeader, value.slice(0, -2)]
}

function formatName(name: string): string {
  const isCut = name.length > nameLengthMax
  const encoded = encodeURIComponent(name.slice(0, nameLengthMax).toWellFormed())
  return encoded.replaceAll('%5B', '[').replaceAll('%5D', ']') + (isCut ? '...' : '')
}
