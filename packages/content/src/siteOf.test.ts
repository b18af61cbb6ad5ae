import { expect, test } from 'vitest'
import { siteOf } from './siteOf.ts'

test.each([
  ['https://a.example.com/x', 'example.com'],
  ['https://a.b.c.example.com:8443/', 'example.com'],
  ['https://example.com/', 'example.com'],
  ['https://shop.example.co.uk/', 'example.co.uk'],
  ['https://example.co.uk/', 'example.co.uk'],
  ['https://192.0.2.1:8080/', '192.0.2.1:8080'],
  ['https://[2001:db8::1]/', '[2001:db8::1]'],
  ['https://localhost:1/', 'localhost:1'],
])('the site of %s is %s', (url, site) => {
  expect(siteOf(new URL(url))).toBe(site)
})
