import type { Grown } from '../../api/monthCounts.ts'
import { readChoice, readText } from '../../format/readSearch.ts'

/** The attestations that the page of statistics counts; undefined members are the defaults. */
export interface StatsSearch {
  readonly chainId?: string | undefined
  readonly protocol?: string | undefined
  readonly schemaId?: string | undefined
  /** The path of the field whose values are counted, as the interface writes it. */
  readonly field?: string | undefined
}

export function readStatsSearch(raw: Readonly<Record<string, unknown>>): StatsSearch {
  return {
    chainId: readText(raw, 'chainId'),
    protocol: readText(raw, 'protocol'),
    schemaId: readText(raw, 'schemaId'),
    field: readText(raw, 'field'),
  }
}

/** The path of a single chart, for frames of other sites. */
export const embedPath = '/embed'

const figures = ['attestations', 'revocations', 'attesters', 'recipients'] as const satisfies readonly Grown[]

/** The chart that a frame shows; undefined members are the defaults. */
export interface EmbedSearch extends Omit<StatsSearch, 'field'> {
  readonly figure?: Grown | undefined
  readonly view?: 'all' | undefined
}

export function readEmbedSearch(raw: Readonly<Record<string, unknown>>): EmbedSearch {
  const { chainId, protocol, schemaId } = readStatsSearch(raw)
  return {
    ...{ chainId, protocol, schemaId },
    figure: readChoice(raw, 'figure', figures),
    view: readChoice(raw, 'view', ['all']),
  }
}
