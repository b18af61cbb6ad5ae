import type { ChainMoment } from './judgeSubjects.ts'
import type { SigningKey } from './readSigningKey.ts'

/** The media type of `typ` of a signed verdict: no other token of the same key passes for one (RFC 8725, 3.11). */
export const verdictType = 'verdict+jwt'

/** How long a signed verdict may be shown, in seconds: the index goes on meanwhile. */
export const verdictSeconds = 300

/** The claims of a signed verdict, without its times, its audience and its nonce. */
export interface VerdictClaims {
  readonly subject: string
  readonly verdict: 'allow' | 'deny' | 'unknown'
  /** The name of the policy in the configuration of the server that signed; null for a policy of the request. */
  readonly policy: string | null
  readonly policyHash: string
  readonly asOf: readonly ChainMoment[]
  /** When expiry and ages were counted, in Unix seconds. */
  readonly at: number
}

/** For whom a verdict is signed, and in answer to what; null if the request names neither. */
export interface VerdictRequest {
  readonly audience: string | null
  readonly nonce: string | null
}

/** A verdict as a compact JWS (RFC 7515) with the claims of a JWT (RFC 7519). */
export async function signVerdict(
  { key, algorithm, publicJwk }: SigningKey,
  claims: VerdictClaims,
  { audience, nonce }: VerdictRequest,
  nowSeconds: number,
): Promise<string> {
  // Servers without a key do not load the library.
  const { SignJWT } = await import('jose')
  const token = new SignJWT({ ...claims, ...(nonce === null ? {} : { nonce }) })
    .setProtectedHeader({ alg: algorithm, kid: publicJwk.kid, typ: verdictType })
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + verdictSeconds)
  return await (audience === null ? token : token.setAudience(audience)).sign(key)
}
