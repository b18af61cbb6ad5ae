import { describeOffchain, type OffchainContent } from '@attestry/core/model/describeOffchain.ts'
import { isExpired, type OffchainCheck, type OffchainPayload } from '@attestry/core/model/offchainRecord.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { checkOffchain } from './checkOffchain.ts'
import { readOffchain } from './readOffchain.ts'
import type { Members } from './unreadable.ts'

/** The result of the checks that need only the text of an off-chain attestation. */
export interface VerifiedAlone extends OffchainContent {
  /** Whether all of `checks` are ok. They are fewer than those of the service. */
  readonly valid: boolean
  readonly expired: boolean
  /** `format`, `uid`, `domain`, `signature` and `expiry`; only `format` if the input cannot be read. */
  readonly checks: readonly OffchainCheck[]
  /** Null if the input cannot be read. */
  readonly payload: OffchainPayload | null
  /** The envelope or signed body, unpacked if the input is a link; null if the input cannot be read. */
  readonly envelope: Members | null
}

/**
 * Verifies an envelope of EAS or BAS, a link that holds one, or a signed body of Sign Protocol, without a request.
 * Schema, payload and revocation are for an index to check, and so are contracts as signers. Never rejects.
 * @param nowSeconds the time of the check `expiry`, in Unix seconds.
 */
export async function verifyAlone(
  text: string,
  nowSeconds = Math.floor(Date.now() / 1_000),
): Promise<VerifiedAlone> {
  const read = await readOffchain(text)
  if (read.kind === 'unreadable') {
    const format = { name: 'format', ok: false, message: `${read.reason}.` } as const
    return {
      ...describeOffchain(null),
      valid: false,
      expired: false,
      checks: [format],
      payload: null,
      envelope: null,
    }
  }
  const { record, envelope } = read
  const now = unixSeconds(nowSeconds)
  const checks = await checkOffchain(record, { now })
  return {
    ...describeOffchain(record),
    valid: checks.every(({ ok }) => ok),
    expired: isExpired(record, now),
    checks,
    payload: record.payload,
    envelope,
  }
}
