import { hash } from 'node:crypto'
import { parseAddress, parseHash } from '@attestry/core/model/hex.ts'
import { valueMatchKey } from '@attestry/core/model/keyword.ts'
import { formatRecipient } from '@attestry/core/model/recordJson.ts'
import type { Attestation } from '@attestry/core/model/records.ts'

export const valueKeyBytes = 16

/**
 * Under what a value is looked up by equality: the first 16 bytes of the SHA-256 of its match key, which bounds what
 * the index holds of values of any length. The key is hashed as UTF-16 so that unpaired surrogates stay different.
 */
export function valueKey(value: string): Buffer {
  const key = Buffer.from(valueMatchKey(value), 'utf16le')
  return firstBytes(key)
}

/** The key of the value of an off-chain anchor. A hash has one form; any other text is compared exactly. */
export function anchorValueKey(value: string): Buffer {
  const key = Buffer.from(parseHash(value) ?? value, 'utf16le')
  return firstBytes(key)
}

/** A string of one character a byte takes half the time of a buffer, which is an object outside the heap. */
function firstBytes(key: Buffer): Buffer {
  return Buffer.from(hash('sha256', key, 'latin1').slice(0, valueKeyBytes), 'latin1')
}

/** The holders of a value, as the table of postings keeps them; the sum if both have it. */
export const valueHolder = { indexingValue: 1, recipient: 2 } as const

/** A value under which an attestation is found. */
export interface HeldValue {
  readonly key: Buffer
  readonly holder: number
}

/**
 * The values of an attestation, each once. A value that is the address of its attester or of a recipient is left out.
 * The attestation is found by that address anyway, and each way of finding it must stay disjoint from the others.
 */
export function attestationValues(attestation: Attestation): readonly HeldValue[] {
  const values: HeldValue[] = []
  holdValue(attestation, values, attestation.indexingValue, valueHolder.indexingValue)
  for (const recipient of attestation.recipients) {
    if (recipient.kind === 'address') continue
    holdValue(attestation, values, formatRecipient(recipient), valueHolder.recipient)
  }
  return values
}

function holdValue(attestation: Attestation, values: HeldValue[], value: string, holder: number): void {
  if (value === '' || isInvolved(attestation, value)) return
  const key = valueKey(value)
  const known = values.findIndex((each) => each.key.equals(key))
  const held = values[known]
  if (held === undefined) values.push({ key, holder })
  else values[known] = { key, holder: held.holder | holder }
}

/** Concatenates the keys, as a row keeps them; null if there are no values. */
export function joinValueKeys(values: readonly HeldValue[]): Buffer | null {
  return values.length === 0 ? null : Buffer.concat(values.map(({ key }) => key))
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
