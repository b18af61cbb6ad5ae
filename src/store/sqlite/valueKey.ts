import { hash } from 'node:crypto'
import { parseAddress } from '../../model/hex.ts'
import { valueMatchKey } from '../../model/keyword.ts'
import { formatRecipient } from '../../model/recordJson.ts'
import type { Attestation } from '../../model/records.ts'

export const valueKeyBytes = 16

/**
 * Under what a value is looked up by equality: the first 16 bytes of the SHA-256 of its match key, which bounds what the
 * index holds of values of any length. The key is hashed as UTF-16 so that unpaired surrogates stay different.
 */
export function valueKey(value: string): Buffer {
  const key = Buffer.from(valueMatchKey(value), 'utf16le')
  return hash('sha256', key, 'buffer').subarray(0, valueKeyBytes)
}

/**
 * The keys of an attestation's values, one after the other; null when it has none. A value that is the address of its
 * attester or of a recipient is left out: the attestation is found by that address anyway, and each way of finding
 * it must stay disjoint from the others.
 */
export function attestationValueKeys(attestation: Attestation): Buffer | null {
  const values = new Set<string>()
  if (attestation.indexingValue !== '') values.add(attestation.indexingValue)
  for (const recipient of attestation.recipients) {
    if (recipient.kind !== 'address') values.add(formatRecipient(recipient))
  }
  if (values.size === 0) return null
  const keys = new Map<string, Buffer>()
  for (const value of values) {
    if (value === '' || isInvolved(attestation, value)) continue
    const key = valueKey(value)
    keys.set(key.toString('latin1'), key)
  }
  return keys.size === 0 ? null : Buffer.concat([...keys.values()])
}

/** The single keys that a row's key column holds. */
export function splitValueKeys(keys: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at < keys.length; at += valueKeyBytes) parts.push(keys.subarray(at, at + valueKeyBytes))
  return parts
}

function isInvolved(attestation: Attestation, value: string): boolean {
  const address = parseAddress(value)
  if (address === null) return false
  return (
    attestation.attester === address ||
    attestation.recipients.some((recipient) => recipient.kind === 'address' && recipient.address === address)
  )
}
