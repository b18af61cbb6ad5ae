import type { SearchGroup } from '../api/types.ts'
import type { Keyed } from '../format/recordKey.ts'

/** A record with the page that shows it. */
export interface FoundRecord extends Keyed {
  readonly page: '/schema/$id' | '/attestation/$id'
}

/**
 * The one record that a keyword names: by its composite id, by its id on its own chain, or by its transaction. Null where
 * it names several, such as the schemas with one uid on many chains, and for a keyword that is looked for as text.
 */
export function exactRecord(keyword: string, groups: readonly SearchGroup[]): FoundRecord | null {
  const text = keyword.trim().toLowerCase()
  if (!/^(?:onchain_evm_\d+_)?0x[0-9a-f]+$/.test(text)) return null
  const records = groups.flatMap(recordsOf)
  // Of each kind the best ten are known, those with exactly this id first.
  const named = records.filter(({ id, localId }) => id.toLowerCase() === text || localId === text)
  const total = groups.reduce(
    (sum, group) => sum + (group.type === 'address' || group.type === 'name' ? 0 : group.total),
    0,
  )
  const isHash = text.length === 66
  const [first, ...more] = named.length > 0 ? named : isHash && total === 1 ? records : []
  if (first === undefined || more.length > 0) return null
  const { page, id, protocol } = first
  return { page, id, protocol }
}

function recordsOf(group: SearchGroup): readonly (FoundRecord & { readonly localId: string })[] {
  switch (group.type) {
    case 'schema':
      return group.rows.map(({ id, protocol, schemaId }) => ({
        page: '/schema/$id',
        id,
        protocol,
        localId: schemaId.toLowerCase(),
      }))
    case 'attestation':
      return group.rows.map(({ id, protocol, attestationId }) => ({
        page: '/attestation/$id',
        id,
        protocol,
        localId: attestationId.toLowerCase(),
      }))
    case 'address':
    case 'agent':
    case 'name':
      return []
  }
}
