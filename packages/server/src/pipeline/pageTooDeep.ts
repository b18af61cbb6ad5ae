import type { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'

/**
 * The message for a page that the store does not walk to; null for any other work that was too much. `walkedAt`: where a
 * client walks the list by cursor, unless at the path of the request itself.
 */
export function pageTooDeep({ facts }: StoreTooMuchWorkError, walkedAt = 'it'): string | null {
  const { passedOverMax } = facts
  if (typeof passedOverMax !== 'number') return null
  return `page must be within ${passedOverMax} rows of either end of a list with these filters; walk ${walkedAt} by cursor=* instead.`
}
