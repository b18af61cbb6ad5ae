import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Identified } from '../../pipeline/parameters/idParameters.ts'

/** The records of ids in the order of the ids, null for each that is not indexed or can never be. */
export async function findByIds<Stored>(
  ids: readonly Identified<RecordKey>[],
  protocol: string | null,
  find: (keys: readonly RecordKey[]) => Promise<readonly (Stored | null)[]>,
): Promise<(Stored | null)[]> {
  const keys = ids.flatMap((id) => (id.kind === 'known' ? [{ ...id.value, protocol }] : []))
  const found = keys.length === 0 ? [] : await find(keys)
  let next = 0
  return ids.map((id) => (id.kind === 'known' ? (found[next++] ?? null) : null))
}
