import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The address in an entry of `X-Forwarded-For`, without the rest that proxies write: a port (`203.0.113.7:51234`,
 * `[2001:db8::1]:443`, or `_name` in its place), brackets, quotation marks. Null for an entry without an address, such
 * as `unknown` or an obfuscated `_name` (RFC 7239, section 6).
 */
export function readAddress(entry: string): string | null {
  const text = entry.replaceAll('"', '').trim()
  if (isIP(text) !== 0) return withoutZone(text)
  const [, bracketed, bare] = /^(?:\[([^\]]*)\]|(.*?))(?::(?:[0-9]+|_[\w.-]+))?$/.exec(text) ?? []
  const address = bracketed ?? bare ?? ''
  const isAddress = bracketed === undefined ? isIP(address) !== 0 : isIPv6(address)
  return isAddress ? withoutZone(address) : null
}

/** The library refuses zones of some interfaces, such as `%eth0.100`. */
function withoutZone(address: string): string {
  return ipaddr.isValid(address) ? address : (address.split('%')[0] ?? address)
}
