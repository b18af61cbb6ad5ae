/**
 * The position of an event on its chain as one number that sorts: block number × 2^20 + the index of its log among the
 * indexed logs of the block (docs/adr/0025). It is exact in a JavaScript number up to block 2^33 - 1 (a chain of ten
 * blocks a second reaches it after 27 years). Larger values are refused, never wrapped.
 */

declare const brand: unique symbol

/** Block number of an event, and index of its log among the indexed logs of the block, in one sortable number. */
export type Position = number & { readonly [brand]: 'position' }

export const positionsPerBlock = 2 ** 20
/** The indexed logs that a block can have: more than any known gas limit allows. */
export const logsPerBlockMax = 2 ** 19
export const blockNumberMax = 2 ** 33 - 1

/**
 * The position with index `index` in block `blockNumber`.
 * @throws RangeError if either is too large for a position.
 */
export function eventPosition(blockNumber: number, index: number): Position {
  if (!Number.isInteger(blockNumber) || blockNumber < 0 || blockNumber > blockNumberMax) {
    throw new RangeError(`block number ${blockNumber} is outside 0 to ${blockNumberMax}`)
  }
  if (!Number.isInteger(index) || index < 0 || index >= positionsPerBlock) {
    throw new RangeError(`index ${index} is outside 0 to ${positionsPerBlock - 1}`)
  }
  return (blockNumber * positionsPerBlock + index) as Position
}

/** The block number of a position. */
export function positionBlock(position: Position): number {
  return Math.floor(position / positionsPerBlock)
}

/** The index of a position in its block. */
export function positionIndex(position: Position): number {
  return position % positionsPerBlock
}

/**
 * The position of the record with this number that its contract made without a log: behind all logs of the block. The
 * number of the record tells such records apart, since a block holds far fewer of them than there are indexes.
 */
export function unannouncedPosition(blockNumber: number, recordNumber: bigint): Position {
  return eventPosition(blockNumber, logsPerBlockMax + Number(recordNumber % BigInt(logsPerBlockMax)))
}

/** Whether the record at a position was made without a log. */
export function isUnannounced(position: Position): boolean {
  return positionIndex(position) >= logsPerBlockMax
}
