import { queryOptions } from '@tanstack/react-query'
import { recordKey, type Keyed } from '../format/recordKey.ts'
import { api } from './client.ts'
import { sparklinesDocument } from './documents.ts'

/** Counts by day of a schema, by the days' first seconds. */
export type DayCounts = ReadonlyMap<number, number>

interface Answer {
  readonly [alias: string]: {
    readonly activity: readonly { readonly timestamp: number; readonly attestations: number }[]
  } | null
}

/** As many schemas as one query may begin with. */
const schemasMax = 20

/** The activity of up to 20 schemas in one request, by `recordKey`. */
export const sparklinesQuery = (schemas: readonly Keyed[]) => {
  const byKey = new Map(schemas.map((schema) => [recordKey(schema), schema]))
  const asked = [...byKey].slice(0, schemasMax).sort(([a], [b]) => (a < b ? -1 : 1))
  return queryOptions({
    queryKey: ['sparklines', asked.map(([key]) => key)],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, DayCounts>> => {
      const variables = Object.fromEntries(
        asked.flatMap(([, { id, protocol }], index) => [
          [`id${index}`, id],
          [`protocol${index}`, protocol],
        ]),
      )
      const answer = await api.graphql<Answer>(sparklinesDocument(asked.length), variables, { signal })
      return new Map(
        asked.map(([key], index) => [
          key,
          new Map((answer[`s${index}`]?.activity ?? []).map((day) => [day.timestamp, day.attestations])),
        ]),
      )
    },
    enabled: asked.length > 0,
    staleTime: 60_000,
  })
}
