/**
 * The query string of a URL, read and written flat: each parameter is text, as the interface expects it. The router's
 * own functions would read `q=0x10` and `q=1e3` as numbers and write quotation marks.
 */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Absent and empty parameters are left out, and so is the first page. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (name === 'page' && value === 1) continue
    if (
      typeof value === 'boolean' ||
      typeof value === 'number' ||
      (typeof value === 'string' && value !== '')
    )
      parameters.set(name, `${value}`)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

type Raw = Readonly<Record<string, unknown>>

/** The readers below ignore invalid values: a link with a mistake still leads to a page. */
export function readText(raw: Raw, name: string): string | undefined {
  const value = raw[name]
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  return text === '' ? undefined : text
}

export function readChoice<Choice extends string>(
  raw: Raw,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === raw[name])
}

/** A number that consists only of digits. */
export function readNumber(raw: Raw, name: string): number | undefined {
  const text = readText(raw, name)
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** A page from 1. */
export function readPage(raw: Raw): number | undefined {
  const page = readNumber(raw, 'page')
  return page === undefined || page < 2 || page > 2_147_483_647 ? undefined : page
}

/** The page sizes to choose from; undefined is the default. */
export const pageSizes = [25, 50, 100] as const
export const pageSizeDefault = 25

export function readPageSize(raw: Raw): number | undefined {
  const size = readNumber(raw, 'size')
  return pageSizes.find((choice) => choice === size && choice !== pageSizeDefault)
}
