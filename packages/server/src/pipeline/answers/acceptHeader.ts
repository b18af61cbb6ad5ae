/** An item of an `Accept…` header: its name in lower case and its weight, 0 to 1. */
export interface AcceptedItem {
  readonly name: string
  readonly weight: number
}

/** Distinct headers whose reading is cached; browsers and libraries send a handful. */
export const headersCachedMax = 256

/** The items of an `Accept` or `Accept-Encoding` header (RFC 9110, 12.4.2), in their order. A malformed weight is 0. */
export function parseAcceptHeader(header: string): AcceptedItem[] {
  return header
    .toLowerCase()
    .split(',')
    .map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
      return { name, weight: weightOf(parameters) }
    })
}

/** Whether a client wants a page rather than data: browsers name `text/html`, clients of the interface do not. */
export function prefersPage(accept: string | undefined): boolean {
  return accept !== undefined && /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept)
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  if (weight === undefined) return 1
  return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0
}
