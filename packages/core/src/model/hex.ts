/**
 * Hexadecimal values in the form of the index: `0x` and lower-case digits. Brands keep an address from being passed as
 * a transaction hash; only the parsers here make branded values from text.
 */

declare const brand: unique symbol

/** Any byte string: `0x` followed by an even number of lower-case hexadecimal digits. */
export type Hex = `0x${string}` & { readonly [brand]: 'hex' }

/** A 20-byte account address, lower case. `checksumAddress` makes the form that answers carry. */
export type Address = `0x${string}` & { readonly [brand]: 'address' }

/** A 32-byte hash: of a block, a transaction, or an EAS uid; lower case. */
export type Hash = `0x${string}` & { readonly [brand]: 'hash' }

export const zeroAddress = '0x0000000000000000000000000000000000000000' as Address
export const zeroHash = '0x0000000000000000000000000000000000000000000000000000000000000000' as Hash

/** The empty byte string. */
export const noBytes = '0x' as Hex

const hexPattern = /^0x(?:[0-9a-f]{2})*$/i
const addressPattern = /^0x[0-9a-f]{40}$/i
const hashPattern = /^0x[0-9a-f]{64}$/i

/** Parses a byte string of any length, in any case; null for any other text. */
export function parseHex(text: string): Hex | null {
  return hexPattern.test(text) ? (text.toLowerCase() as Hex) : null
}

/** Parses an address in any case and with any checksum; null for any other text. */
export function parseAddress(text: string): Address | null {
  return addressPattern.test(text) ? (text.toLowerCase() as Address) : null
}

/** Parses a 32-byte hash in any case; null if `text` is not such a hash. */
export function parseHash(text: string): Hash | null {
  return hashPattern.test(text) ? (text.toLowerCase() as Hash) : null
}
