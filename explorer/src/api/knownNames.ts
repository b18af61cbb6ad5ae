import type { SearchGroup } from './types.ts'

export type KnownName = Omit<Extract<SearchGroup, { type: 'name' }>['rows'][number], 'id'>

/** By address or composite id, in lower case. They come with the answers that show them. */
const known = new Map<string, KnownName>()

/** The name that the operator or ENS gives an address or a schema. */
export function knownName(id: string): KnownName | undefined {
  return known.get(id.toLowerCase())
}

/** The members of answers that hold rows with names. Deeper members may hold texts of strangers. */
const lists = ['rows', 'queryResult', 'schemas', 'attestations'] as const

type Named = { readonly names?: Readonly<Record<string, KnownName>> } & {
  readonly [List in (typeof lists)[number]]?: unknown
}

/** Keeps the names of an answer. */
export function learnNames(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return
  const named: Named = answer
  for (const [id, name] of Object.entries(named.names ?? {})) known.set(id.toLowerCase(), name)
  for (const list of lists) {
    const rows = named[list]
    if (Array.isArray(rows)) rows.forEach(learnNames)
  }
}
