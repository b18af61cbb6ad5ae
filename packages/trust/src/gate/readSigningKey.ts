import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { canonicalJson } from './canonicalJson.ts'

/** The algorithms by which verdicts are signed (RFC 8037, RFC 7518). */
export const verdictAlgorithms = ['EdDSA', 'ES256'] as const

/** A private key that signs verdicts. */
export interface SigningKey {
  readonly key: KeyObject
  readonly algorithm: (typeof verdictAlgorithms)[number]
  /** The public key as a JWK (RFC 7517); `kid` is its thumbprint (RFC 7638). */
  readonly publicJwk: Readonly<Record<string, string>> & { readonly kid: string }
}

const must = 'must be a private key of Ed25519 or P-256 as PKCS#8 in PEM (-----BEGIN PRIVATE KEY-----)'

/**
 * Reads a private key.
 * @returns the key, or for a malformed text a clause without any part of it: `must be …, but …`.
 */
export function readSigningKey(text: string): SigningKey | { readonly wrong: string } {
  // A variable of the environment often has `\n` in place of ends of lines, and a block of YAML indents the lines.
  const pem = text
    .replaceAll('\\n', '\n')
    .replaceAll(/\s*[\r\n]\s*/g, '\n')
    .trim()
  const [, label] = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(pem) ?? []
  if (label === undefined) return { wrong: `${must}, but has no such line` }
  if (label !== 'PRIVATE KEY') {
    const hint = label.endsWith(' PRIVATE KEY') ? '; openssl pkcs8 -topk8 -nocrypt makes one of it' : ''
    return { wrong: `${must}, but begins with ${label}${hint}` }
  }
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    return { wrong: `${must}, but cannot be read: the text is cut off or changed` }
  }
  const algorithm = algorithmOf(key)
  if (algorithm === null) {
    const curve = key.asymmetricKeyDetails?.namedCurve
    return {
      wrong: `${must}, but is one of ${key.asymmetricKeyType}${curve === undefined ? '' : ` (${curve})`}`,
    }
  }
  const { kty = '', crv = '', x = '', y } = createPublicKey(key).export({ format: 'jwk' })
  const members = { kty, crv, x, ...(y === undefined ? {} : { y }) }
  const kid = createHash('sha256').update(canonicalJson(members)).digest('base64url')
  return { key, algorithm, publicJwk: { ...members, kid, use: 'sig', alg: algorithm } }
}

function algorithmOf(key: KeyObject): SigningKey['algorithm'] | null {
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA'
  const isP256 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  return isP256 ? 'ES256' : null
}
