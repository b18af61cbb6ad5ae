import { readText } from '../../format/readSearch.ts'

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
