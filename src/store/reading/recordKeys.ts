import type { RecordKey } from '../../model/compositeId.ts'
import type { Dialect } from '../port/dialect.ts'
import type { KeyColumns } from '../port/reads.ts'

/** The keys of records as columns: `k.local_id`, without `0x`, and `k.chain_id`. */
export function recordKeys(keys: readonly RecordKey[]): KeyColumns {
  return {
    local_id: { type: 'text', values: keys.map(({ localId }) => localId.slice(2)) },
    chain_id: { type: 'int53', values: keys.map(({ chainId }) => chainId) },
  }
}

/** The condition that a row has the key that two expressions hold; found by the index by ids. */
export function isRecord(dialect: Dialect, alias: string, localId: string, chainId: string): string {
  return `${alias}.local_id = ${localId} AND ${dialect.chainOfKey(`${alias}.chain_id`)} = ${chainId}`
}
