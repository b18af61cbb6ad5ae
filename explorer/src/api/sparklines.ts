import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** Counts by day of a schema, by the days' first seconds. */
export type DayCounts = ReadonlyMap<number, number>

interface Answer {
  readonly [alias: string]: {
    readonly activity: readonly { readonly timestamp: number; readonly attestations: number }[]
  } | null
}

/** As many schemas as one query may begin with. */
const schemasMax = 20
const days = 30

/** The activity of up to 20 schemas in one request, by their composite ids. */
export const sparklinesQuery = (ids: readonly string[]) => {
  const asked = [...new Set(ids)].slice(0, schemasMax).sort()
  return queryOptions({
    queryKey: ['sparklines', asked],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, DayCounts>> => {
      const variables = Object.fromEntries(asked.map((id, index) => [`id${index}`, id]))
      const answer = await api.graphql<Answer>(sparklinesDocument(asked.length), variables, { signal })
      return new Map(
        asked.map((id, index) => [
          id,
          new Map((answer[`s${index}`]?.activity ?? []).map((day) => [day.timestamp, day.attestations])),
        ]),
      )
    },
    enabled: asked.length > 0,
    staleTime: 60_000,
  })
}

/** A query for the newest days of so many schemas, with the variables `id0`, `id1`, … */
export function sparklinesDocument(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index)
  const variables = numbers.map((index) => `$id${index}: String!`).join(', ')
  const fields = numbers.map(
    (index) => `s${index}: schema(id: $id${index}) { activity(days: ${days}) { timestamp attestations } }`,
  )
  return `query Sparklines(${variables}) { ${fields.join(' ')} }`
}
