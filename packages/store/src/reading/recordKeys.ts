import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Dialect } from '../port/dialect.ts'
import type { KeyColumns, SqlInput } from '../port/reads.ts'

/** The keys of records as columns: `k.local_id`, without `0x`, `k.chain_id`, and `k.protocol`, which may be NULL. */
export function recordKeys(keys: readonly RecordKey[]): KeyColumns {
  return {
    local_id: { type: 'text', values: keys.map(({ localId }) => localId.slice(2)) },
    chain_id: { type: 'int53', values: keys.map(({ chainId }) => chainId) },
    protocol: { type: 'text', values: keys.map(({ protocol }) => protocol ?? null) },
  }
}

/** The parameters of `isRecord`. */
export function recordParameters({ localId, chainId, protocol }: RecordKey): readonly SqlInput[] {
  return [localId.slice(2), chainId, protocol ?? null]
}

/** The condition that a row has the key of the parameters, or the key `k`; found by the index by ids. */
export function isRecord(dialect: Dialect, alias: string, key: '?' | 'k' = '?'): string {
  const member = (name: string) => (key === '?' ? '?' : `k.${name}`)
  return (
    `${alias}.local_id = ${member('local_id')} AND ${dialect.chainOfKey(`${alias}.chain_id`)} = ${member('chain_id')} ` +
    `AND ${alias}.protocol = coalesce(${member('protocol')}, ${alias}.protocol)`
  )
}

/** The row that a key without a protocol means comes first in this order, which is that of the index by ids. */
export function firstByProtocol(alias: string): string {
  return ` ORDER BY ${alias}.protocol`
}
