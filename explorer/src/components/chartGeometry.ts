/** The share of a day's width that its bar takes. */
const barWidth = 0.72

/**
 * The bars of each series as a path, one unit wide for each day and one high for each count, on those of the series
 * before.
 */
export function barsOf(series: readonly (readonly number[])[]): readonly string[] {
  const sums: number[] = []
  return series.map((values) =>
    values
      .map((value, index) => {
        const ground = sums[index] ?? 0
        sums[index] = ground + value
        const left = (index + (1 - barWidth) / 2).toFixed(2)
        return value === 0 ? '' : `M${left} ${ground}v${value}h${barWidth}v${-value}z`
      })
      .join(''),
  )
}

export interface CountAxis {
  /** The counts that get a line, from 0. */
  readonly steps: readonly number[]
  /** The count at the upper edge, a little above the highest bar. */
  readonly top: number
}

const stepsMax = 5

/** Lines at round counts for bars up to a height: steps of 1, 2 or 5 times a power of ten. */
export function axisOf(highest: number): CountAxis {
  const top = Math.max(4, highest * 1.08)
  const magnitude = 10 ** Math.max(0, Math.floor(Math.log10(top / stepsMax)))
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((each) => top / each <= stepsMax) ?? top
  return { steps: Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step), top }
}

const namesMax = 6

/** The indices of the days that are named under a chart of so many days: evenly apart, away from both edges. */
export function daysToName(count: number): readonly number[] {
  const names = Math.min(count, namesMax)
  return Array.from({ length: names }, (_, index) => Math.floor(((index + 0.5) / names) * count))
}
