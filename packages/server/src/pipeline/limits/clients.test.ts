import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createClients } from './clients.ts'

const proxy = '10.0.0.1'
const clients = createClients(['10.0.0.0/8', 'fd00::/8'])

/** The client of a request that a peer passes on. */
function clientOf(forwardedFor: string | undefined, peer = proxy): string {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return clients.of({ headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage)
}

test.each([
  ['203.0.113.7:51234', '203.0.113.7'],
  ['203.0.113.7:51999', '203.0.113.7'],
  ['198.51.100.9, 203.0.113.7:51234', '203.0.113.7'],
  ['203.0.113.7:51234, 10.0.0.2:443', '203.0.113.7'],
  ['203.0.113.7, [fd00::7]:443,, 10.0.0.2', '203.0.113.7'],
  ['[2001:db8:0:1::7]:443', '2001:db8:0:1'],
  ['2001:db8:0:1::8', '2001:db8:0:1'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
])('the client of %j is %j, whatever its port', (forwardedFor, client) => {
  expect(clientOf(forwardedFor)).toBe(client)
})

test.each(['unknown', '_hidden', '_hidden-2', 'client.example'])(
  'an entry without an address, %j, counts for the proxy that wrote it',
  (entry) => {
    expect(clientOf(entry)).toBe(proxy)
    expect(clientOf(`203.0.113.7, ${entry}, 10.0.0.2`)).toBe('10.0.0.2')
  },
)

test('empty entries are skipped', () => {
  expect(clientOf('')).toBe(proxy)
  expect(clientOf(' , ')).toBe(proxy)
})

test('a peer that is not a trusted proxy names no client', () => {
  expect(clientOf('203.0.113.7', '198.51.100.9')).toBe('198.51.100.9')
})

test('a request without the header is of its peer, also if every entry is a proxy', () => {
  expect(clientOf(undefined)).toBe(proxy)
  expect(clientOf('10.0.0.3, 10.0.0.2')).toBe('10.0.0.3')
})
