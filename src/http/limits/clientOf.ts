import { isIPv6 } from 'node:net'

/**
 * The client that an address counts for: an IPv4 address itself, also if mapped into IPv6; the /64 network of an IPv6
 * address, since one subscriber holds a whole /64. Text that is not an address, as a proxy may pass on, is a separate
 * client.
 */
export function clientOf(address: string): string {
  if (!address.includes(':')) return address.toLowerCase()
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  return isIPv6(address) ? networkOf(address) : address.toLowerCase()
}

/** The first four groups of an IPv6 address in any of its spellings. */
function networkOf(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  // An IPv4 address at the end stands for two groups.
  const zeros = 8 - before.length - after.length - (address.includes('.') ? 1 : 0)
  const groups = tail === undefined ? before : [...before, ...new Array<string>(zeros).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
