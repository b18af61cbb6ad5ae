import type { LocalId } from '../model/compositeId.ts'
import type { Position } from '../model/position.ts'

/** Numbers that are looked for one by one; where more are missing, the rest is counted. */
const listedMax = 1_000

/** What the numbers of stored records lack and have too many, beside what their contract has counted. */
export interface NumberGaps {
  readonly stored: number
  /** The least number of a stored record; null where there is none. */
  readonly first: bigint | null
  /** Numbers below the next one that no stored record has; the first of them only where there are very many. */
  readonly missing: readonly bigint[]
  readonly missingCount: bigint
  /** Records whose number the contract has not given out yet. */
  readonly beyond: readonly { readonly localId: LocalId; readonly position: Position }[]
}

/**
 * Compares the ids of stored records, in the order of the chain, with the number that the next record will have. Contracts number
 * their records in that order, so a gap between two is a record that is missing. Where `next` is null, only such gaps are told.
 */
export async function findMissingNumbers(
  records: AsyncIterable<{ readonly localId: LocalId; readonly position: Position }>,
  next: bigint | null,
): Promise<NumberGaps> {
  let stored = 0
  let first: bigint | null = null
  let expected: bigint | null = null
  let missingCount = 0n
  const missing: bigint[] = []
  const beyond: { localId: LocalId; position: Position }[] = []
  const skip = (from: bigint, to: bigint) => {
    if (to > from) missingCount += to - from
    for (let number = from; number < to && missing.length < listedMax; number++) missing.push(number)
  }
  for await (const { localId, position } of records) {
    stored += 1
    const number = BigInt(localId)
    if (next !== null && number >= next) {
      beyond.push({ localId, position })
      continue
    }
    first ??= number
    if (expected !== null) skip(expected, number)
    expected = expected !== null && number < expected ? expected : number + 1n
  }
  // Where nothing is stored, only the contract knows its first number: the last one tells whether there is any.
  if (next !== null) skip(expected ?? (next > 0n ? next - 1n : 0n), next)
  return { stored, first, missing, missingCount, beyond }
}
