import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The client that an address counts for: an IPv4 address itself, also if mapped into IPv6; the /64 network of an IPv6
 * address, since one subscriber holds a whole /64. Other text is a client by itself.
 */
export function clientOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address.toLowerCase()
  // The library refuses zones of some interfaces, such as `%eth0.100`.
  const parsed = ipaddr.IPv6.parse(address.split('%')[0] ?? '')
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}
