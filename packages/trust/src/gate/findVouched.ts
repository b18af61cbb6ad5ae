import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { Holds, Vouch } from './policy.ts'

/** A record of a subject, and why its attester counts. */
export interface VouchedRecord {
  readonly key: StoredKey
  readonly attester: Address
  readonly vouching: Vouching
}

/** The records of an account by which it is vouched for. `by` is empty if the attesters themselves are named. */
export interface Vouching {
  readonly records: readonly StoredKey[]
  /** At two hops: the attester of each record, and the records by which it is vouched for in turn. */
  readonly by: readonly { readonly attester: Address; readonly records: readonly StoredKey[] }[]
}

/** Reads of one state of the index. */
export interface HoldingReads {
  /** Finds the records that each subject holds, at most `attestersMin`; null if that is not known. */
  readonly find: (
    holds: Holds,
    subjects: readonly Address[],
  ) => Promise<readonly (readonly StoredKey[] | null)[]>
  /** Finds the attesters of records; null for a record that is gone. */
  readonly findAttesters: (keys: readonly StoredKey[]) => Promise<readonly (Address | null)[]>
}

/**
 * Attesters that are looked at for one account, at first and where none of so many counts. Strangers can attest from
 * as many accounts as they pay for.
 */
const looks = [64, 1_024, 8_192] as const

/** Accounts that are looked at together at first; beyond that, one at a time. */
const together = 200

/**
 * The records that each subject holds from attesters who are vouched for, at most `attestersMin` of different ones;
 * null for a subject with more attesters than may be looked at.
 */
export async function findVouched(
  reads: HoldingReads,
  holds: Holds,
  vouch: Vouch,
  subjects: readonly Address[],
): Promise<readonly (readonly VouchedRecord[] | null)[]> {
  const vouchings = new Map<Address, Vouching | null>()
  return findBy(reads, holds, subjects, async (attesters) => {
    const unknown = attesters.filter((attester) => !vouchings.has(attester))
    const found = await findVouchings(reads, vouch, unknown)
    for (const [index, attester] of unknown.entries()) vouchings.set(attester, found[index] ?? null)
    return attesters.map((attester) => vouchings.get(attester) ?? null)
  })
}

/** Finds why each account is vouched for: null if it is not, `notKnown` if it has too many attesters. */
async function findVouchings(
  reads: HoldingReads,
  { holds, hops }: Vouch,
  accounts: readonly Address[],
): Promise<readonly (Vouching | null)[]> {
  const direct = await reads.find(holds, accounts)
  const found = accounts.map((_, index) => vouchingBy(holds, direct[index]))
  if (hops === 1 || holds.attesters === null) return found
  const open = accounts.flatMap((account, index) => (isVouched(found[index]) ? [] : [{ account, index }]))
  const roots = new Set(holds.attesters)
  const onceRemoved = await findBy(
    reads,
    holds,
    open.map(({ account }) => account),
    async (attesters) => {
      const held = await reads.find(holds, attesters)
      return attesters.map((attester, index) =>
        roots.has(attester) ? { records: [], by: [] } : vouchingBy(holds, held[index]),
      )
    },
  )
  for (const [order, { index }] of open.entries()) {
    const records = onceRemoved[order]
    if (records === null) found[index] = notKnown
    else if (records !== undefined && records.length >= holds.attestersMin) {
      found[index] = {
        records: records.map(({ key }) => key),
        by: records.map(({ attester, vouching }) => ({ attester, records: vouching.records })),
      }
    }
  }
  return found
}

/** Whether records of an account are enough to vouch for it; null: it is not known which it has. */
function vouchingBy(
  { attestersMin }: Holds,
  records: readonly StoredKey[] | null | undefined,
): Vouching | null {
  if (records === null) return notKnown
  return records !== undefined && records.length >= attestersMin ? { records, by: [] } : null
}

/** Stands for an account of which it is not known whether it is vouched for. */
const notKnown: Vouching = { records: [], by: [] }

function isVouched(vouching: Vouching | null | undefined): boolean {
  return vouching !== null && vouching !== undefined && vouching !== notKnown
}

/** The records of accounts from attesters that pass; null if more attesters would have to be looked at. */
async function findBy(
  reads: HoldingReads,
  holds: Holds,
  accounts: readonly Address[],
  pass: (attesters: readonly Address[]) => Promise<readonly (Vouching | null)[]>,
): Promise<readonly (readonly VouchedRecord[] | null)[]> {
  const results: (readonly VouchedRecord[] | null)[] = accounts.map(() => [])
  let open = accounts.map((account, index) => ({ account, index }))
  for (const [depth, attestersMin] of looks.entries()) {
    const further: typeof open = []
    const size = depth === 0 ? together : 1
    for (let start = 0; start < open.length; start += size) {
      const part = open.slice(start, start + size)
      const asked = { ...holds, vouch: null, attesters: null, attestersMin }
      const found = await reads.find(
        asked,
        part.map(({ account }) => account),
      )
      const attesters = await reads.findAttesters(found.flatMap((keys) => keys ?? []))
      const distinct = [...new Set(attesters.filter((attester) => attester !== null))]
      const passed = await pass(distinct)
      const vouchings = new Map(distinct.map((attester, index) => [attester, passed[index] ?? null]))
      let at = 0
      for (const [order, each] of part.entries()) {
        const keys = found[order] ?? []
        const own = keys.map((key, index) => ({ key, attester: attesters[at + index] ?? null }))
        at += keys.length
        let isUnknown = found[order] === null
        const records = own.flatMap(({ key, attester }): VouchedRecord[] => {
          const vouching = attester === null ? null : (vouchings.get(attester) ?? null)
          if (vouching === notKnown) isUnknown = true
          return attester === null || vouching === null || vouching === notKnown
            ? []
            : [{ key, attester, vouching }]
        })
        if (records.length >= holds.attestersMin) {
          results[each.index] = records.slice(0, holds.attestersMin)
        } else if (keys.length === attestersMin) further.push(each)
        else results[each.index] = isUnknown ? null : records
      }
    }
    open = further
  }
  for (const { index } of open) results[index] = null
  return results
}
