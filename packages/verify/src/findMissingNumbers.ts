import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'

/** Most missing numbers that are listed; the others are counted. */
const listedMax = 1_000

/** The missing and surplus numbers of stored records, compared with the counter of their contract. */
export interface NumberGaps {
  readonly stored: number
  /** The lowest number of a stored record; null without stored records. */
  readonly first: bigint | null
  /** Numbers below the next one without a stored record; the first ones if there are very many. */
  readonly missing: readonly bigint[]
  readonly missingCount: bigint
  /** Stored records whose number does not exist yet. */
  readonly beyond: readonly NumberedRecord[]
}

interface NumberedRecord {
  readonly localId: LocalId
  readonly position: Position
}

/**
 * Compares the ids of stored records, in the order of the chain, with the number of the next record. Contracts number
 * their records in that order, so a gap between two is a missing record. If `next` is null, only such gaps are
 * reported.
 */
export async function findMissingNumbers(
  records: AsyncIterable<NumberedRecord>,
  numberOf: (localId: LocalId) => bigint,
  next: bigint | null,
): Promise<NumberGaps> {
  let stored = 0
  let first: bigint | null = null
  let expected: bigint | null = null
  let missingCount = 0n
  const missing: bigint[] = []
  const beyond: NumberedRecord[] = []
  const skip = (from: bigint, to: bigint) => {
    if (to > from) missingCount += to - from
    for (let number = from; number < to && missing.length < listedMax; number++) missing.push(number)
  }
  for await (const { localId, position, number } of inOrderOfNumbers(records, numberOf)) {
    stored += 1
    if (next !== null && number >= next) {
      beyond.push({ localId, position })
      continue
    }
    first ??= number
    if (expected !== null) skip(expected, number)
    expected = expected !== null && number < expected ? expected : number + 1n
  }
  // Without a stored record, only the contract knows its first number; the last number shows whether records exist.
  if (next !== null) skip(expected ?? (next > 0n ? next - 1n : 0n), next)
  return { stored, first, missing, missingCount, beyond }
}

/** Records of one block in the order of their numbers: those without a log come after the logs of their block. */
async function* inOrderOfNumbers(
  records: AsyncIterable<NumberedRecord>,
  numberOf: (localId: LocalId) => bigint,
): AsyncGenerator<NumberedRecord & { readonly number: bigint }> {
  let block: (NumberedRecord & { readonly number: bigint })[] = []
  const sorted = () => block.sort((a, b) => (a.number < b.number ? -1 : 1))
  for await (const record of records) {
    const [first] = block
    if (first !== undefined && positionBlock(first.position) !== positionBlock(record.position)) {
      yield* sorted()
      block = []
    }
    block.push({ ...record, number: numberOf(record.localId) })
  }
  yield* sorted()
}
