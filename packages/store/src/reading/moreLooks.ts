import { TooManyLooksError } from '@attestry/core/errors/storeErrors.ts'
import type { AttestationFilter, Holding } from '@attestry/core/index/indexQueries.ts'

/**
 * Attestations that are looked at for one account in each of its two lists, at first and if the newest of an account
 * do not count. Strangers can give an account many that do not.
 */
const looks = [64, 1_024, 16_384] as const

export const [looksDefault] = looks

/**
 * Does work with a filter, and again with more looks for each account, up to the most.
 * @throws TooManyLooksError beyond that, and whatever the work throws.
 */
export async function withMoreLooks<Result>(
  filter: AttestationFilter,
  work: (filter: AttestationFilter) => Promise<Result>,
): Promise<Result> {
  for (const [index, looksMax] of looks.entries()) {
    const deeper = (holding: Holding | null) => holding && { ...holding, looksMax }
    const { recipientHolds, attesterHolds } = filter
    const isFirst = index === 0
    try {
      return await work(
        isFirst
          ? filter
          : { ...filter, recipientHolds: deeper(recipientHolds), attesterHolds: deeper(attesterHolds) },
      )
    } catch (error) {
      if (!(error instanceof TooManyLooksError) || index === looks.length - 1) throw error
    }
  }
  throw new RangeError('no looks')
}
