import { hash } from 'node:crypto'
import type { ChainId } from '@attestry/core/model/compositeId.ts'

/** The key of the lock of the one process that writes to a chain. */
export function chainLockKey(chainId: ChainId): bigint {
  return advisoryLockKey(`chain ${chainId}`)
}

/** The key of the lock that all processes which may write to a chain share. */
export function candidateLockKey(chainId: ChainId): bigint {
  return advisoryLockKey(`candidate ${chainId}`)
}

/**
 * The keys of this program's advisory locks: the first 64 bits of a hash of a name, which another program on the same
 * database will hardly have chosen for its own.
 */
export function advisoryLockKey(name: string): bigint {
  return hash('sha256', `attestry ${name}`, 'buffer').readBigInt64BE(0)
}

/** The key of the lock of the one process that brings the layout up to date. */
export const migrationLockKey = advisoryLockKey('migration')
