import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { decodeStoredPayload } from '@attestry/core/model/decodeStoredPayload.ts'
import { parseHash } from '@attestry/core/model/hex.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'

/** The members of a payload of feedback; `value` is null if the payload cannot be decoded. */
export interface Feedback {
  readonly value: Decimal | null
  readonly tag1: string
  readonly tag2: string
  readonly endpoint: string
  readonly feedbackURI: string
  readonly feedbackHash: string
  readonly feedbackIndex: string
}

/** `digits / 10^decimals`. */
export interface Decimal {
  readonly digits: bigint
  readonly decimals: number
}

/** The texts of a payload by the names of their fields, whole numbers as digits; empty for a missing field. */
export function payloadTexts(
  attestation: StoredAttestation,
  decodePayload: DecodePayload,
): (name: string) => string {
  const decoded = decodeStoredPayload(attestation, decodePayload)
  const values = new Map(
    decoded.kind === 'decoded' ? decoded.values.map(({ name, value }) => [name, value]) : [],
  )
  return (name) => {
    const value = values.get(name)
    return typeof value === 'string' ? value : ''
  }
}

/** Most characters of a text; the attestation itself has all. */
const textMax = 2_048

/** Decodes feedback that was read with its detail and schema. */
export function decodeFeedback(attestation: StoredAttestation, decodePayload: DecodePayload): Feedback {
  const whole = payloadTexts(attestation, decodePayload)
  const text = (name: string) => whole(name).slice(0, textMax)
  const [digits, decimals] = [text('value'), text('valueDecimals')]
  return {
    value: digits === '' || decimals === '' ? null : { digits: BigInt(digits), decimals: Number(decimals) },
    tag1: text('tag1'),
    tag2: text('tag2'),
    endpoint: text('endpoint'),
    feedbackURI: text('feedbackURI'),
    feedbackHash: parseHash(text('feedbackHash')) ?? '',
    feedbackIndex: text('feedbackIndex') || '0',
  }
}

/** A decimal as text, without zeros at its end. */
export function formatDecimal({ digits, decimals }: Decimal): string {
  const sign = digits < 0n ? '-' : ''
  const all = String(digits < 0n ? -digits : digits).padStart(decimals + 1, '0')
  const whole = all.slice(0, all.length - decimals)
  const fraction = all.slice(all.length - decimals).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** The sum of decimals. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const decimals = Math.max(a.decimals, b.decimals)
  return { digits: scaled(a, decimals) + scaled(b, decimals), decimals }
}

/** Most digits behind the point of an average. */
const averageDecimals = 6

/** The average of `count` decimals with this sum, with six decimals, rounded towards zero. */
export function averageOf({ digits, decimals }: Decimal, count: number): Decimal {
  const whole = BigInt(count) * 10n ** BigInt(decimals)
  return { digits: (digits * 10n ** BigInt(averageDecimals)) / whole, decimals: averageDecimals }
}

function scaled({ digits, decimals }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - decimals)
}
