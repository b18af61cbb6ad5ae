import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { chainMoments, policyHash } from '../gate/gateSchemas.ts'
import { verdictAlgorithms } from '../gate/readSigningKey.ts'
import { verdictType, type VerdictClaims } from '../gate/signVerdict.ts'
import { VerdictInvalidError, VerdictMalformedError } from '@attestry/core/errors/verdictErrors.ts'
import type { CommandInput } from '@attestry/host/readInput.ts'

/** A signed verdict whose signature was checked. */
export interface SignedVerdict extends VerdictClaims {
  readonly iat: number
  readonly exp: number
  readonly aud?: string | readonly string[]
  readonly nonce?: string
}

/** The values that a reader expects of a verdict; undefined accepts any. */
export interface ExpectedVerdict {
  readonly audience?: string | undefined
  readonly nonce?: string | undefined
  /** Whether a verdict is also read whose time is over. */
  readonly expired?: boolean | undefined
}

const claimsSchema = Type.Object({
  subject: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  verdict: Type.Enum(['allow', 'deny', 'unknown']),
  policy: Type.Union([Type.String(), Type.Null()]),
  policyHash,
  asOf: chainMoments,
  at: Type.Integer(),
  iat: Type.Integer(),
  exp: Type.Integer(),
})

/**
 * Checks the signature of a verdict, and what is expected of it.
 * @param keys a set of keys (RFC 7517).
 * @param keysOf whose keys they are, for messages.
 * @throws VerdictMalformedError if the text is no signed verdict.
 * @throws VerdictInvalidError
 */
export async function readVerdict(
  { name, text }: CommandInput,
  { keys, keysOf }: { readonly keys: object; readonly keysOf: string },
  expected: ExpectedVerdict,
  nowSeconds: number,
): Promise<SignedVerdict> {
  const { createLocalJWKSet, compactVerify, errors } = await import('jose')
  const token = text.replace(/^\uFEFF/, '').trim()
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) {
    throw new VerdictMalformedError(
      `${name} is no signed verdict: a compact JWS has three parts with dots between them`,
    )
  }
  let keySet: ReturnType<typeof createLocalJWKSet>
  try {
    // The library checks what it is given.
    keySet = createLocalJWKSet(keys as Parameters<typeof createLocalJWKSet>[0])
  } catch {
    throw new VerdictInvalidError(`${keysOf} holds no set of keys (JWKS)`)
  }
  const verified = await compactVerify(token, keySet, { algorithms: [...verdictAlgorithms] }).catch(
    (error: unknown) => {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
        throw new VerdictInvalidError(`The verdict is signed by another key than those of ${keysOf}`)
      }
      if (error instanceof errors.JWSSignatureVerificationFailed) {
        throw new VerdictInvalidError('The signature of the verdict is wrong: the verdict was altered')
      }
      if (error instanceof errors.JOSEAlgNotAllowed) {
        throw new VerdictInvalidError(`The verdict is not signed by ${verdictAlgorithms.join(' or ')}`)
      }
      throw new VerdictMalformedError(`${name} is no signed verdict: its first part cannot be read`, {
        cause: error,
      })
    },
  )
  const claims = parseClaims(verified.payload)
  if (verified.protectedHeader.typ !== verdictType || claims === null) {
    throw new VerdictMalformedError(`${name} is signed, but no verdict`)
  }
  checkExpected(claims, expected, nowSeconds)
  return claims
}

function parseClaims(payload: Uint8Array): SignedVerdict | null {
  let claims: unknown
  try {
    claims = JSON.parse(new TextDecoder().decode(payload))
  } catch {
    return null
  }
  return Check(claimsSchema, claims) ? claims : null
}

/** Seconds by which clocks may differ. */
const clockSkewMax = 60

function checkExpected(
  { aud, nonce, iat, exp, at }: SignedVerdict,
  expected: ExpectedVerdict,
  nowSeconds: number,
): void {
  const audiences = aud === undefined ? [] : [aud].flat()
  if (expected.audience !== undefined && !audiences.includes(expected.audience)) {
    const whose = audiences.length === 0 ? 'nobody in particular' : JSON.stringify(audiences.join(', '))
    throw new VerdictInvalidError(`The verdict is for ${whose}, not for ${JSON.stringify(expected.audience)}`)
  }
  if (expected.nonce !== undefined && nonce !== expected.nonce) {
    const what = nonce === undefined ? 'no nonce' : `the nonce ${JSON.stringify(nonce)}`
    throw new VerdictInvalidError(
      `The verdict has ${what}, not ${JSON.stringify(expected.nonce)}: it answers another request`,
    )
  }
  if (iat > nowSeconds + clockSkewMax) {
    throw new VerdictInvalidError(`The verdict is signed at ${formatTime(iat)}, which is yet to come`)
  }
  if (Math.abs(iat - at) > clockSkewMax) {
    throw new VerdictInvalidError(
      `The verdict is as of ${formatTime(at)}, although it was signed at ${formatTime(iat)}: it does not say whether it held then`,
    )
  }
  if (exp <= nowSeconds && expected.expired !== true) {
    throw new VerdictInvalidError(
      `The verdict held until ${formatTime(exp)}; --expired checks it all the same`,
    )
  }
}

export function formatTime(seconds: number): string {
  const time = new Date(seconds * 1000)
  return Number.isNaN(time.getTime()) ? `${seconds} s` : time.toISOString().replace('.000Z', 'Z')
}
