import type { SearchGroup } from '../api/types.ts'
import { recordKey } from '../format/recordKey.ts'

/** A suggestion of the search box. `key` is unique among suggestions. */
export type Suggestion =
  | {
      readonly kind: 'schema'
      readonly key: string
      readonly id: string
      readonly protocol: string | undefined
      readonly localId: string
      readonly chainId: string
      readonly name: string
    }
  | {
      readonly kind: 'attestation'
      readonly key: string
      readonly id: string
      readonly protocol: string | undefined
      readonly localId: string
      readonly chainId: string
      readonly attester: string
    }
  | {
      readonly kind: 'address'
      readonly key: string
      readonly address: string
      /** The sum of all counts of the address. */
      readonly recordCount: number
    }
  | {
      readonly kind: 'agent'
      readonly key: string
      readonly id: string
      readonly chainId: string
      readonly name: string
    }
  /** A field of a schema with the keyword as a value. */
  | {
      readonly kind: 'value'
      readonly key: string
      readonly id: string
      readonly protocol: string | undefined
      readonly chainId: string
      readonly name: string
      readonly field: string
      readonly value: string
      readonly attestationCount: number
    }
  /** A name of an address, or of a schema by its composite id. */
  | {
      readonly kind: 'name'
      readonly key: string
      readonly id: string
      readonly name: string
      readonly source: string
    }
  /** The page of results, with all results. */
  | { readonly kind: 'all'; readonly key: string; readonly keyword: string; readonly total: number }
  /** A recent search. */
  | { readonly kind: 'recent'; readonly key: string; readonly keyword: string }

export interface SuggestionGroup {
  readonly label: string
  readonly items: readonly Suggestion[]
}

const perGroupMax = 4

/**
 * The results, a few of each kind, and a link to all results of the keyword; without the link where the results are
 * those of another keyword. Groups without rows are left out.
 */
export function suggestionsOf(
  keyword: string | undefined,
  groups: readonly SearchGroup[],
): SuggestionGroup[] {
  const found = groups.flatMap((group): SuggestionGroup[] => {
    const items = itemsOf(group).slice(0, perGroupMax)
    return items.length === 0 ? [] : [{ label: labels[group.type], items }]
  })
  const total = groups.reduce((sum, group) => sum + group.total, 0)
  const shown = found.reduce((sum, { items }) => sum + items.length, 0)
  if (keyword === undefined || total <= shown) return found
  return [...found, { label: '', items: [{ kind: 'all', key: 'all', keyword, total }] }]
}

export function recentSuggestions(keywords: readonly string[]): SuggestionGroup[] {
  if (keywords.length === 0) return []
  const items = keywords.map((keyword) => ({ kind: 'recent', key: `recent ${keyword}`, keyword }) as const)
  return [{ label: 'Recent searches', items }]
}

const labels: Readonly<Record<SearchGroup['type'], string>> = {
  schema: 'Schemas',
  attestation: 'Attestations',
  address: 'Addresses',
  agent: 'Agents',
  value: 'Values',
  name: 'Names',
}

function itemsOf(group: SearchGroup): Suggestion[] {
  switch (group.type) {
    case 'schema':
      return group.rows.map(({ id, protocol, schemaId, chainId, name }) => ({
        kind: 'schema',
        key: `schema ${recordKey({ id, protocol })}`,
        id,
        protocol,
        localId: schemaId,
        chainId,
        name,
      }))
    case 'attestation':
      return group.rows.map(({ id, protocol, attestationId, chainId, attester }) => ({
        kind: 'attestation',
        key: `attestation ${recordKey({ id, protocol })}`,
        id,
        protocol,
        localId: attestationId,
        chainId,
        attester,
      }))
    case 'address':
      return group.rows.map(({ address, schemaCreated, attestationCreated, attestationReceived }) => ({
        kind: 'address',
        key: `address ${address}`,
        address,
        recordCount: schemaCreated + attestationCreated + attestationReceived,
      }))
    case 'agent':
      return group.rows.map(({ id, chainId, name }) => ({
        kind: 'agent',
        key: `agent ${id}`,
        id,
        chainId,
        name,
      }))
    case 'value':
      return group.rows.map(({ id, protocol, chainId, name, field, value, attestationCount }, index) => ({
        kind: 'value',
        key: `value ${index}`,
        id,
        protocol,
        chainId,
        name,
        field,
        value,
        attestationCount,
      }))
    case 'name':
      return group.rows.map(({ id, name, source }) => ({ kind: 'name', key: `name ${id}`, id, name, source }))
  }
}
