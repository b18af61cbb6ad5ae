import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { Cursor } from './listingParameters.ts'

/** The place in a listing that a request names. */
export type ListingPlace =
  | { readonly kind: 'page'; readonly page: number }
  | { readonly kind: 'cursor'; readonly cursor: Cursor }

/**
 * The place in a listing that a request asks for: a page, the first by default, or a cursor.
 * @param narrowedBy the name of a filter that the request sets, beyond the filters that a keyword combines with; null
 * for none.
 * @throws BadParameterError for parameters that exclude one another.
 */
export function readPlace(
  values: {
    readonly page: number | null
    readonly cursor: Cursor | null
    readonly keyword: ClassifiedKeyword | null
  },
  narrowedBy: string | null,
): ListingPlace {
  const { page, cursor, keyword } = values
  if (keyword !== null && narrowedBy !== null) {
    throw new BadParameterError(`keyword does not combine with ${narrowedBy}; leave one of them out.`)
  }
  if (cursor === null) return { kind: 'page', page: page ?? 1 }
  if (page !== null || keyword !== null) {
    const other = page === null ? 'keyword' : 'page'
    throw new BadParameterError(`cursor does not combine with ${other}; leave one of them out.`)
  }
  return { kind: 'cursor', cursor }
}

/** The name of the first parameter that is set, of those in `names`; null if none is. */
export function firstSet<Name extends string>(
  values: Readonly<Record<Name, unknown>>,
  names: readonly Name[],
): Name | null {
  return names.find((name) => values[name] !== null) ?? null
}
