/** The public keys of a server, as `/.well-known/jwks.json` has them (RFC 7517). */
export interface VerdictKeys {
  readonly keys: readonly VerdictKey[]
}

interface VerdictKey {
  readonly kid: string
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y?: string
}

/** The question that a signed verdict has to answer. */
export interface ExpectedVerdict {
  readonly subject: string
  /** SHA-256 of the policy, from `/scan/policies`. */
  readonly policyHash: string
  /** The `aud` that was asked for. */
  readonly audience: string
  /** The `nonce` that was asked for. A reader that lets an address in once also remembers it for five minutes. */
  readonly nonce: string
  /** Greatest age of the judgement, in seconds; 300 by default. */
  readonly maxAgeSeconds?: number | undefined
}

/** The claims of a signed verdict that holds. */
export interface SignedVerdict {
  readonly subject: string
  readonly verdict: 'allow' | 'deny' | 'unknown'
  /** The name of the policy on the server that signed; null for a policy that a request brought. */
  readonly policy: string | null
  readonly policyHash: string
  readonly asOf: readonly {
    readonly chainId: string
    readonly block: number | null
    readonly hash: string | null
    readonly timestamp: number | null
  }[]
  /** When expiry and ages were counted, in Unix seconds. */
  readonly at: number
  readonly iat: number
  readonly exp: number
}

/** A verdict that does not hold, or that answers another question. */
export class VerdictRefusedError extends Error {
  override readonly name = 'VerdictRefusedError'
}

export const verdictAgeDefaultSeconds = 300

/** Seconds by which clocks may differ. */
const clockSkewMax = 60

/**
 * Checks the signature of a verdict and compares every claim with the question: subject, policy, audience, nonce and
 * time. The verdict itself may be any of the three.
 * @throws VerdictRefusedError with a sentence that names the first difference.
 */
export async function verifyVerdict(
  token: string,
  keys: VerdictKeys,
  expected: ExpectedVerdict,
  nowSeconds = Math.floor(Date.now() / 1_000),
): Promise<SignedVerdict> {
  const [head = '', body = '', signature = '', ...rest] = token.trim().split('.')
  const header = readPart(head)
  const claims = readPart(body)
  if (header === null || claims === null || rest.length > 0) refuse('The text is no signed verdict.')
  // `crit` names extensions that a reader has to know (RFC 7515, 4.1.11).
  if (header['typ'] !== 'verdict+jwt' || 'crit' in header)
    refuse('The token is signed, but it is no verdict.')
  if (!(await isSigned(`${head}.${body}`, signature, keys, header))) {
    refuse('No key of the set has signed the verdict.')
  }
  const { subject, policyHash, aud, nonce, iat, exp, at, verdict } = claims
  if (!isSameText(subject, expected.subject)) refuse(`The verdict is about ${String(subject)}.`)
  if (!isSameText(policyHash, expected.policyHash))
    refuse(`The verdict is of the policy ${String(policyHash)}.`)
  if (![aud].flat().includes(expected.audience)) refuse('The verdict is for another audience.')
  if (nonce !== expected.nonce) refuse('The verdict answers another request: its nonce differs.')
  if (!isTime(iat) || !isTime(exp) || !isTime(at)) refuse('The verdict lacks its times.')
  if (iat > nowSeconds + clockSkewMax || exp <= nowSeconds) refuse('The verdict does not hold at this time.')
  if (Math.abs(iat - at) > clockSkewMax || isTooOld(at, nowSeconds, expected.maxAgeSeconds)) {
    refuse(`The verdict is as of ${at} in Unix seconds, which is too long ago.`)
  }
  if (verdict !== 'allow' && verdict !== 'deny' && verdict !== 'unknown') refuse('The verdict is none.')
  return claims as unknown as SignedVerdict
}

/** The question that a verdict itself says that it answers: its signature and its times are then what is checked. */
export function readQuestion(token: string): ExpectedVerdict {
  const { subject, policyHash, aud, nonce } = readPart(token.trim().split('.')[1] ?? '') ?? {}
  const [audience] = [aud].flat()
  return {
    subject: String(subject),
    policyHash: String(policyHash),
    audience: String(audience),
    nonce: String(nonce),
  }
}

/** Whether a judgement is older than a reader accepts, or from the future. Times are Unix seconds. */
export function isTooOld(at: number, nowSeconds: number, maxAgeSeconds = verdictAgeDefaultSeconds): boolean {
  return nowSeconds - at > maxAgeSeconds || at > nowSeconds + clockSkewMax
}

/** Compares hexadecimal texts, whose letter case says nothing. */
export function isSameText(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
}

const algorithms = {
  EdDSA: { name: 'Ed25519' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
} as const

async function isSigned(
  text: string,
  signature: string,
  { keys }: VerdictKeys,
  { alg, kid }: Members,
): Promise<boolean> {
  const algorithm = alg === 'EdDSA' || alg === 'ES256' ? algorithms[alg] : null
  const key = keys.find((each) => each.kid === kid)
  const bytes = readBytes(signature)
  if (algorithm === null || key === undefined || bytes === null) return false
  const { kty, crv, x, y } = key
  const jwk = { kty, crv, x, ...(y === undefined ? {} : { y }) }
  try {
    const imported = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
    return await crypto.subtle.verify(algorithm, imported, bytes, new TextEncoder().encode(text))
  } catch {
    // The key is of another algorithm.
    return false
  }
}

type Members = Readonly<Record<string, unknown>>

function readPart(part: string): Members | null {
  const bytes = readBytes(part)
  if (bytes === null) return null
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Members) : null
  } catch {
    return null
  }
}

function readBytes(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text)) return null
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

function refuse(message: string): never {
  throw new VerdictRefusedError(message)
}
