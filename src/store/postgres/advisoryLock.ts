import { hash } from 'node:crypto'
import type { ChainId } from '../../model/compositeId.ts'

/**
 * The key of one of this program's advisory locks, as a literal of SQL: the first 64 bits of a hash of its name, which
 * another program on the same database will hardly have chosen for its own.
 */
export function advisoryLockKey(name: 'migration' | `chain ${ChainId}`): string {
  return hash('sha256', `attestry ${name}`, 'buffer').readBigInt64BE(0).toString()
}
