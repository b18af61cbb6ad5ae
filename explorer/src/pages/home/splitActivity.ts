import type { IndexStatistics } from '../../api/types.ts'

/** The parts of a day's bar. */
export type Split = 'none' | 'chain' | 'protocol'

export interface SplitDay {
  readonly date: string
  /** One for each series. */
  readonly counts: readonly number[]
}

export interface SplitActivity {
  readonly days: readonly SplitDay[]
  readonly series: readonly { readonly label: string; readonly count: (day: SplitDay) => number }[]
}

/** The number of colours of the chart. */
const seriesMax = 5

/**
 * The attestations of each day by chain or protocol, the largest part first; if there are many parts, the smaller ones
 * are combined.
 */
export function splitActivity(
  { days, protocols }: Pick<IndexStatistics, 'days' | 'protocols'>,
  split: Split,
  labelOf: (part: string) => string,
): SplitActivity {
  if (split === 'none') {
    return {
      days: days.map(({ date, attestationCount }) => ({ date, counts: [attestationCount] })),
      series: [{ label: 'Attestations', count: countOf(0) }],
    }
  }
  const parts = new Map<string, { total: number; byDate: Map<string, number> }>()
  for (const protocol of protocols) {
    const key = split === 'chain' ? protocol.chainId : protocol.protocol
    const part = parts.get(key) ?? { total: 0, byDate: new Map<string, number>() }
    parts.set(key, part)
    part.total += protocol.attestationCount
    for (const { date, attestationCount } of protocol.days) {
      part.byDate.set(date, (part.byDate.get(date) ?? 0) + attestationCount)
    }
  }
  const sorted = [...parts].sort(([, a], [, b]) => b.total - a.total)
  const shown = sorted.slice(0, sorted.length > seriesMax ? seriesMax - 1 : seriesMax)
  const others = sorted.slice(shown.length)
  const on = (date: string, some: typeof sorted) =>
    some.reduce((sum, [, { byDate }]) => sum + (byDate.get(date) ?? 0), 0)
  const labels = shown.map(([key]) => labelOf(key))
  return {
    days: days.map(({ date }) => ({
      date,
      counts: [...shown.map((part) => on(date, [part])), ...(others.length > 0 ? [on(date, others)] : [])],
    })),
    series: [...labels, ...(others.length > 0 ? [`${others.length} others`] : [])].map((label, index) => ({
      label,
      count: countOf(index),
    })),
  }
}

function countOf(index: number) {
  return ({ counts }: SplitDay) => counts[index] ?? 0
}
