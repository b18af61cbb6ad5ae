/**
 * The position of an event on its chain as one number that sorts: block number × 2^20 + log index. It is exact in a
 * JavaScript number up to block 2^33 - 1 (a chain of ten blocks a second reaches it after 27 years) and up to 2^20 logs
 * in one block, which no known gas limit allows. Larger values are refused, never wrapped.
 */

declare const brand: unique symbol

/** Block number and log index of an event in one sortable number. */
export type Position = number & { readonly [brand]: 'position' }

export const logsPerBlockMax = 2 ** 20
/**
 * The log indexes from here on are those of records that a contract made without a log: more than any block has logs.
 * The number of the record tells them apart, since a block holds far fewer such records.
 */
const unannouncedIndexMin = 2 ** 19
export const blockNumberMax = 2 ** 33 - 1

/**
 * The position of the log with index `logIndex` in block `blockNumber`.
 * @throws RangeError when either is too large for a position.
 */
export function eventPosition(blockNumber: number, logIndex: number): Position {
  if (!Number.isInteger(blockNumber) || blockNumber < 0 || blockNumber > blockNumberMax) {
    throw new RangeError(`block number ${blockNumber} is outside 0 to ${blockNumberMax}`)
  }
  if (!Number.isInteger(logIndex) || logIndex < 0 || logIndex >= logsPerBlockMax) {
    throw new RangeError(`log index ${logIndex} is outside 0 to ${logsPerBlockMax - 1}`)
  }
  return (blockNumber * logsPerBlockMax + logIndex) as Position
}

/** The block number of a position. */
export function positionBlock(position: Position): number {
  return Math.floor(position / logsPerBlockMax)
}

/** The log index of a position. */
export function positionLogIndex(position: Position): number {
  return position % logsPerBlockMax
}

/** The position of the record with this number that its contract made without a log. */
export function unannouncedPosition(blockNumber: number, recordNumber: bigint): Position {
  return eventPosition(blockNumber, unannouncedIndexMin + Number(recordNumber % BigInt(unannouncedIndexMin)))
}

/** Whether the record at a position was made without a log. */
export function isUnannounced(position: Position): boolean {
  return positionLogIndex(position) >= unannouncedIndexMin
}
