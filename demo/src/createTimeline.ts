import type { Random } from './random.ts'

/** The moments at which blocks are made, ascending. */
export interface Timeline {
  /** The last moment at or before `timeS`; the first moment if all are later. */
  notAfter(timeS: number): number
  /** The first moment after `timeS`; null if all are earlier. */
  after(timeS: number): number | null
}

/** Blocks stand at multiples of this, as on a chain that makes one every so often. */
export const slotS = 12

/**
 * At most `moments` moments from start to end, ever closer to one another: hours apart in the beginning, a minute in
 * the end. A development chain hashes its whole state for every block, so that a history of some thousand transactions
 * is quick to make only when it has some hundred blocks.
 */
export function createTimeline(
  random: Random,
  startTimeS: number,
  endTimeS: number,
  moments: number,
): Timeline {
  const times = new Set<number>()
  for (let index = 0; index < moments; index++) {
    const left = 1 - (index + (index === 0 ? 0 : random.fraction() * 0.9)) / moments
    times.add(toSlot(startTimeS + (endTimeS - startTimeS) * (1 - left ** 2)))
  }
  times.add(toSlot(endTimeS))
  const ascending = [...times].filter((timeS) => timeS >= startTimeS).sort((a, b) => a - b)
  const first = ascending[0]
  if (first === undefined) throw new RangeError('A history takes at least one block of time.')
  return {
    notAfter: (timeS) => ascending[countNotAfter(ascending, timeS) - 1] ?? first,
    after: (timeS) => ascending[countNotAfter(ascending, timeS)] ?? null,
  }
}

function toSlot(timeS: number): number {
  return Math.floor(timeS / slotS) * slotS
}

/** How many of the ascending times are not after `timeS`, by bisection. */
function countNotAfter(times: readonly number[], timeS: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= timeS) low = middle + 1
    else high = middle
  }
  return low
}
