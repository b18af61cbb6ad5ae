import { lookup as lookupName, type LookupAddress } from 'node:dns'
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'

/**
 * Connects only to the public internet. A name is looked up once, and the connection goes to the very address that was
 * judged: a name that changes its address between two look-ups gains nothing.
 */

const closed = networks('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
])
// Only 2000::/3 is public; some of its networks lead to IPv4 addresses or to nobody.
const openV6 = networks('ipv6', ['2000::/3'])
const closedV6 = networks('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

function networks(family: 'ipv4' | 'ipv6', texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [network = '', bits] = text.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/** Whether an address is one that everybody on the internet reaches. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, 'ipv4')
  if (isIP(address) !== 6) return false
  const plain = address.replace(/%.*$/, '')
  return openV6.check(plain, 'ipv6') && !closedV6.check(plain, 'ipv6')
}

export class PrivateAddressError extends Error {}

function refusal(host: string): PrivateAddressError {
  return new PrivateAddressError(`${host} leads to an address that is not public`)
}

/** @param resolve looks a name up; the system's own by default. */
export function createGuardedAgent(connectTimeoutMs: number, resolve: typeof lookupName = lookupName): Agent {
  const lookup: LookupFunction = (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      const addresses: readonly LookupAddress[] = found ?? []
      const [first] = addresses
      if (error !== null || first === undefined) return done(error ?? refusal(host), '')
      if (!addresses.every(({ address }) => isPublicAddress(address))) return done(refusal(host), '')
      if (options.all === true) return done(null, [...addresses])
      return done(null, first.address, first.family)
    })
  }
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup })
  return new Agent({
    connect: (options, done) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      // A literal address is not looked up.
      if (isIP(host) !== 0 && !isPublicAddress(host)) return done(refusal(host), null)
      return connect(options, done)
    },
  })
}

/** Connections at the same time to one origin, which may be a slow one. */
const connectionsMax = 64

/** The connections by which content is fetched: to gateways, wherever they are, and to the public internet. */
export function createContentAgents(timeoutMs: number): { readonly gateways: Agent; readonly others: Agent } {
  const gateways = new Agent({ connections: connectionsMax, connectTimeout: timeoutMs })
  return { gateways, others: createGuardedAgent(timeoutMs) }
}
