import { expect, test } from 'vitest'
import { clientOf } from './clientOf.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:1::7', '2001:db8:0:1'],
  ['2001:0DB8:0000:0001:1:2:3:4', '2001:db8:0:1'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['2001:db8::', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['1::2:3:4:5:192.0.2.1', '1:0:2:3'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['Unknown', 'unknown'],
  ['a:b', 'a:b'],
  ['', ''],
])('%j is the client %j', (address, client) => {
  expect(clientOf(address)).toBe(client)
})
