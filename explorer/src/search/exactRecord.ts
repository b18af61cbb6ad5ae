import type { SearchGroup } from '../api/types.ts'
import type { Keyed } from '../format/recordKey.ts'

/** A record with the page that shows it. */
export interface FoundRecord extends Keyed {
  readonly page: '/schema/$id' | '/attestation/$id'
}

/**
 * The one record that a keyword names: by its composite id, or by its id on its own chain. Null where it names several,
 * such as the schemas with one uid on many chains, and for a keyword that is looked for as text.
 */
export function exactRecord(keyword: string, groups: readonly SearchGroup[]): FoundRecord | null {
  const text = keyword.trim().toLowerCase()
  if (!/^(?:onchain_evm_\d+_)?0x[0-9a-f]+$/.test(text)) return null
  // Of each kind the best ten are known, those with exactly this id first.
  const [first, ...more] = groups
    .flatMap(recordsOf)
    .filter(({ id, localId }) => id.toLowerCase() === text || localId === text)
  if (first === undefined || more.length > 0) return null
  const { page, id, protocol } = first
  return { page, id, protocol }
}

/** Whether a keyword may be the hash of a transaction. */
export function isTransactionHash(keyword: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(keyword.trim())
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
    case 'value':
    case 'name':
      return []
  }
}
