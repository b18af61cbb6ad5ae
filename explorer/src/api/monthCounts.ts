import { queryOptions } from '@tanstack/react-query'
import { parseDay } from '../format/fillDays.ts'
import { api } from './client.ts'

/** The attestations that are counted. */
export interface StatsFilter {
  readonly chainId?: string
  readonly protocol?: string
  readonly schemaId?: string
}

/** A figure that grows with time. */
export type Grown = 'attestations' | 'attesters' | 'recipients' | 'revocations'

/**
 * How many there were before each of some times, in Unix seconds: the first seconds of months, ascending. Accounts are
 * counted once, at their first attestation.
 */
export const countsBeforeQuery = (grown: Grown, filter: StatsFilter, times: readonly number[]) =>
  queryOptions({
    queryKey: ['stats', 'before', grown, filter, times],
    queryFn: async ({ client, signal }) => {
      if (grown === 'attestations') {
        const { total, rows } = await client.fetchQuery(monthsQuery(filter))
        return times.map((time) =>
          rows.reduce((left, { key, count }) => (parseDay(`${key}-01`) >= time ? left - count : left), total),
        )
      }
      const counts: number[] = []
      // One after the other: each of them may be a count of very many attestations.
      for (const time of times) counts.push(await countBefore(grown, filter, time, signal))
      return counts
    },
    staleTime: 300_000,
  })

/** Attestations by month, and all of them: counts that the index keeps, however many there are. */
export const monthsQuery = (filter: StatsFilter) =>
  queryOptions({
    queryKey: ['stats', 'months', filter],
    queryFn: ({ signal }) =>
      api.get('/scan/aggregate/attestations', { ...filter, by: 'month', size: 100 }, { signal }),
    staleTime: 300_000,
  })

async function countBefore(
  grown: Exclude<Grown, 'attestations'>,
  filter: StatsFilter,
  time: number,
  signal: AbortSignal,
): Promise<number> {
  if (grown === 'revocations') {
    const query = { ...filter, revokedBefore: time, page: 1, size: 1 }
    const page = await api.get('/scan/attestations', query, { signal })
    return 'total' in page ? page.total : 0
  }
  const by = grown === 'attesters' ? 'attester' : 'recipient'
  const query = { ...filter, by, attestedBefore: time, size: 1 } as const
  return (await api.get('/scan/aggregate/attestations', query, { signal })).groups
}

/** The ten keys with the most attestations. */
export const topGroupsQuery = (by: string, filter: StatsFilter) =>
  queryOptions({
    queryKey: ['stats', 'top', by, filter],
    queryFn: ({ signal }) =>
      api.get('/scan/aggregate/attestations', { ...filter, by, size: 10, include: 'names' }, { signal }),
    staleTime: 60_000,
  })
