import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { mayTake } from '@attestry/core/shares/fairShares.ts'
import type { BesideStatements } from '@attestry/store/beside/besideDatabase.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { OffchainAllowance, OverQuota } from './offchainStore.ts'

const dayMs = 86_400_000

/** A statement to store, as quotas count it. */
export interface StoredWork {
  /** null: a revocation, which is no entry. */
  readonly signer: Address | null
  readonly bytes: number
  /** Milliseconds since the epoch. */
  readonly storedAt: number
}

interface Usage {
  readonly entries: number
  readonly bytes: number
}

/**
 * Counts what is stored within a day, in the transaction that stores it.
 * @returns the quota that does not suffice; null: it is counted.
 */
export async function holdQuotas(
  statements: BesideStatements,
  prefix: string,
  { signer, bytes, storedAt }: StoredWork,
  { quota, asker }: OffchainAllowance,
): Promise<OverQuota | null> {
  const day = Math.floor(storedAt / dayMs)
  const entries = signer === null ? 0 : 1
  const own = asker.hasKey ? asker.name : nameOfClient(asker.name, day)
  const holders = [own, 'all', ...(asker.hasKey ? [] : ['anyone']), ...(signer === null ? [] : [signer])]
  const rows = await statements.all<[string, number, number]>(
    `SELECT holder, entries, bytes FROM ${prefix}usage WHERE day = ? AND holder IN (${holders.map(() => '?').join(', ')})`,
    day,
    ...holders,
  )
  const usage = new Map(
    rows.map(([holder, ...used]): [string, Usage] => [holder, { entries: used[0], bytes: used[1] }]),
  )
  const used = (holder: string | null): Usage => usage.get(holder ?? '') ?? { entries: 0, bytes: 0 }
  const over = findOver()
  if (over !== null) return over
  await statements.all(`DELETE FROM ${prefix}usage WHERE day < ? RETURNING day`, day)
  for (const holder of holders) {
    await statements.all(
      `INSERT INTO ${prefix}usage (day, holder, entries, bytes) VALUES (?, ?, ?, ?) ` +
        `ON CONFLICT (day, holder) DO UPDATE SET entries = usage.entries + excluded.entries, ` +
        'bytes = usage.bytes + excluded.bytes RETURNING day',
      day,
      holder,
      entries,
      bytes,
    )
  }
  return null

  function findOver(): OverQuota | null {
    const overEntries = (of: OverQuota['of'], max: number) =>
      ({ kind: 'overQuota', of, unit: 'entries', max }) as const
    if (used(signer).entries + entries > quota.address) return overEntries('address', quota.address)
    const [mine, anyone, all] = [used(own), used('anyone'), used('all')]
    if (asker.hasKey && mine.entries + entries > quota.key) return overEntries('key', quota.key)
    // Those with a key have quotas of their own, so nothing of this one is left to them.
    const sharing = { ...asker, hasKey: true }
    if (
      !asker.hasKey &&
      entries > 0 &&
      !mayTake(quota.key, sharing, entries, { own: mine.entries, all: anyone.entries })
    ) {
      return overEntries(anyone.entries + entries > quota.key ? 'all' : 'client', quota.key)
    }
    if (mayTake(quota.bytes, asker, bytes, { own: mine.bytes, all: all.bytes })) return null
    const isMine = mine.bytes > 0 && all.bytes + bytes <= quota.bytes
    return {
      kind: 'overQuota',
      of: isMine ? (asker.hasKey ? 'key' : 'client') : 'all',
      unit: 'bytes',
      max: quota.bytes,
    }
  }
}

/** Nobody who reads the database learns the addresses of clients from it. */
function nameOfClient(name: string, day: number): string {
  return `client ${bytesToHex(sha256(utf8ToBytes(`${day} ${name}`))).slice(0, 32)}`
}
