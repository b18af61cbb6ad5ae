import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import { exceedsJson } from '@attestry/core/model/nesting.ts'

/** A key pair of Ed25519 (RFC 8032) that signs manifests. */
export interface SigningKey {
  readonly privateKey: KeyObject
  /** The 32 bytes of the public key in base64url, as the configuration names it. */
  readonly publicKey: string
}

/** @throws ConfigError for a text that is no private key of Ed25519 in PEM. */
export function readSigningKey(pem: string, file: string): SigningKey {
  try {
    const privateKey = createPrivateKey(pem)
    const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
    if (privateKey.asymmetricKeyType === 'ed25519' && x !== undefined) return { privateKey, publicKey: x }
  } catch {
    // The error of the library says nothing about the file.
  }
  throw new ConfigError(
    `The file ${file} holds no private key of Ed25519 in PEM; openssl genpkey -algorithm ed25519 -out ${file} makes one`,
  )
}

/** The text of a manifest with the signature of its JSON as the last member; without a key, without one. */
export function sealManifest(manifest: object, key: SigningKey | null): string {
  const text = JSON.stringify(manifest)
  if (key === null) return `${text}\n`
  const value = sign(null, Buffer.from(text), key.privateKey).toString('base64url')
  return `${JSON.stringify({ ...manifest, signature: { publicKey: key.publicKey, value } })}\n`
}

/** A chunk has nine values, and some 300 bytes: a manifest of the largest size has 100,000 chunks. */
const manifestLimits = { levels: 8, values: 2_000_000 }

/**
 * The JSON of a manifest without its signature.
 * @throws ChunksRefusedError if it is no JSON, is signed wrongly, or not by `trusted`, the public key that the
 *   operator trusts, if there is one.
 */
export function openSealed(bytes: Uint8Array, trusted: string | null, place: string): unknown {
  let json: unknown
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (exceedsJson(text, manifestLimits)) {
      throw new ChunksRefusedError(
        `The manifest of ${place} has more than ${manifestLimits.levels} levels or ${manifestLimits.values} values of JSON: ` +
          'this program writes no such manifest',
      )
    }
    json = JSON.parse(text)
  } catch (error) {
    if (error instanceof ChunksRefusedError) throw error
    throw new ChunksRefusedError(`The manifest of ${place} is no JSON: it is cut, or was changed`, {
      cause: error,
    })
  }
  if (typeof json !== 'object' || json === null) return json
  const { signature, ...manifest } = json as Record<string, unknown>
  if (signature === undefined && trusted === null) return manifest
  const { publicKey, value } = (signature ?? {}) as Record<string, unknown>
  if (trusted !== null && publicKey !== trusted) {
    throw new ChunksRefusedError(
      `The manifest of ${place} is ${signature === undefined ? 'not signed' : 'signed by another key'}, but chunks.publicKey trusts one key alone`,
    )
  }
  if (typeof publicKey !== 'string' || typeof value !== 'string' || !isSigned(manifest, publicKey, value)) {
    throw new ChunksRefusedError(`The manifest of ${place} was changed after it was signed`)
  }
  return manifest
}

function isSigned(manifest: object, x: string, value: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, Buffer.from(JSON.stringify(manifest)), key, Buffer.from(value, 'base64url'))
  } catch {
    return false
  }
}
