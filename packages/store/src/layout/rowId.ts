import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import { positionsPerBlock, type Position } from '@attestry/core/model/position.ts'

/**
 * Rows that stand for an event have the id `chain ordinal × 2^53 + position`. The rows of one chain are appended in the
 * order of the chain, and everything above a block is one range of ids (docs/adr/0002). Such ids do not fit a
 * JavaScript number: they are made here, compared in SQL, and read back only as their position.
 */

/** Chains that one database can hold: ids are signed 64-bit integers. */
export const chainOrdinalMax = 1023

/**
 * Rows of dictionaries whose ids a chain gives by itself have ids of its own range, so that writers of several chains
 * never wait for one another to number rows. By how many bits the ordinal of a chain is shifted to get that range.
 */
export const ownIdShift = 43

/** The first id of the range of a chain. */
export function firstOwnId(ordinal: number): number {
  return ordinal * 2 ** ownIdShift + 1
}

/** The mask that leaves the position of a row id, for use in SQL. */
export const positionMask = '9007199254740991'

export function rowId(ordinal: number, position: Position): bigint {
  return (BigInt(ordinal) << 53n) | BigInt(position)
}

/** The ids of everything above block `blockNumber` of a chain, -1 for the whole chain; both ends are included. */
export function rowIdsAbove(
  ordinal: number,
  blockNumber: number,
): { readonly first: bigint; readonly last: bigint } {
  const base = BigInt(ordinal) << 53n
  return { first: base + BigInt(blockNumber + 1) * BigInt(positionsPerBlock), last: base + 2n ** 53n - 1n }
}

export function checkOrdinal(ordinal: number): number {
  if (ordinal > chainOrdinalMax) {
    throw new StoreInvariantError(`one database holds at most ${chainOrdinalMax + 1} chains`)
  }
  return ordinal
}
