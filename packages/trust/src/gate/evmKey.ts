import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { keccak256 } from '@attestry/core/model/keccak.ts'

/** The key `server.gate.evmKey`, which signs verdicts that contracts check. It signs nothing else. */
export interface EvmKey {
  /** With its checksum. */
  readonly address: string
  /** The public key as a JWK (RFC 8812); `kid` is `eip155:` and the address. */
  readonly publicJwk: Readonly<Record<string, string>>
  /** Returns the 65 bytes `r`, `s` in the lower half of its range, and `v` 27 or 28, as `0x` and hexadecimal digits. */
  readonly sign: (hash: Uint8Array) => string
}

/**
 * Reads the key that signs verdicts for contracts.
 * @param setting 32 bytes in hexadecimal, with or without `0x`.
 * @throws ConfigError, which holds no part of the key.
 */
export function readEvmKey(setting: string): EvmKey {
  const must = 'server.gate.evmKey must be a private key of secp256k1, 0x and 64 hexadecimal digits'
  const [, variable] = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(setting) ?? []
  if (variable !== undefined) {
    throw new ConfigError(
      `server.gate.evmKey names the environment variable ${variable}, which is not set or empty; set it`,
    )
  }
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(setting.trim()) ?? []
  if (digits === undefined) {
    throw new ConfigError(`${must}, but is a text of ${setting.length} characters that is not shown`)
  }
  const key = hexToBytes(digits)
  if (!secp256k1.utils.isValidSecretKey(key)) {
    throw new ConfigError(`${must}, but is 0 or beyond the order of the curve`)
  }
  const point = secp256k1.getPublicKey(key, false).subarray(1)
  const address = checksumAddress(`0x${bytesToHex(keccak256(point).subarray(12))}` as Address)
  const coordinate = (from: number) => Buffer.from(point.subarray(from, from + 32)).toString('base64url')
  return {
    address,
    publicJwk: {
      kty: 'EC',
      crv: 'secp256k1',
      x: coordinate(0),
      y: coordinate(32),
      kid: `eip155:${address}`,
      use: 'sig',
      alg: 'ES256K',
    },
    sign: (hash) => {
      const signature = secp256k1.sign(hash, key, { prehash: false, format: 'recovered' })
      return `0x${bytesToHex(signature.subarray(1))}${(27 + (signature[0] ?? 0)).toString(16)}`
    },
  }
}
