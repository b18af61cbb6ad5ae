import { expect, test } from 'vitest'
import { parseConnectionUrl, type ConnectionTarget } from './connectionUrl.ts'

function parse(url: string, environment = {}): ConnectionTarget {
  const target = parseConnectionUrl(url, environment)
  if ('reason' in target) throw new Error(target.reason)
  return target
}

test('hosts are those of the URL, or of its parameters', () => {
  const hostsOf = (url: string) => parse(url).hosts.map(({ host, port }) => `${host} ${port}`)
  expect(hostsOf('postgres://a/d')).toEqual(['a 5432'])
  expect(hostsOf('postgresql://me:p%40ss@a:1,b:2,[::1]/d')).toEqual(['a 1', 'b 2', '::1 5432'])
  expect(hostsOf('postgres://a,b:7/d')).toEqual(['a 5432', 'b 7'])
  expect(hostsOf('postgres:///d?host=/run/postgresql')).toEqual(['/run/postgresql 5432'])
  expect(hostsOf('postgres://%2Frun%2Fpostgresql:6000/d')).toEqual(['/run/postgresql 6000'])
  expect(hostsOf('postgres:///d?host=a,b&port=6000')).toEqual(['a 6000', 'b 6000'])
  expect(parse('postgres://a/d?hostaddr=10.0.0.1').hosts).toEqual([
    { host: 'a', port: 5432, address: '10.0.0.1' },
  ])
})

test('user, password and database are decoded, and parameters win', () => {
  expect(parse('postgres://m%20e:p%40s:s@a/d%2Fb')).toMatchObject({
    user: 'm e',
    password: 'p@s:s',
    database: 'd/b',
  })
  expect(parse('postgres://me:a@b@c/d')).toMatchObject({ password: 'a@b', hosts: [{ host: 'c' }] })
  expect(parse('postgres://a/?dbname=d&user=me&password=x%2By+z')).toMatchObject({
    user: 'me',
    password: 'x+y+z',
    database: 'd',
  })
  expect(parse('postgres://a/d')).toMatchObject({ user: null, password: null })
})

test.each([
  ['', {}, 'disable'],
  ['', { PGSSLMODE: 'require' }, 'require'],
  ['sslmode=prefer', { PGSSLMODE: 'require' }, 'prefer'],
  ['sslmode=allow', {}, 'allow'],
  ['sslmode=verify-ca&sslrootcert=/ca.pem', {}, 'verify-ca'],
  ['sslrootcert=system', {}, 'verify-full'],
  ['sslrootcert=/ca.pem', {}, 'require'],
  ['sslnegotiation=direct', {}, 'require'],
  ['ssl=true', {}, 'verify-full'],
  ['ssl=0', {}, 'disable'],
])('%s has the mode of TLS of libpq', (query, environment, mode) => {
  expect(parse(`postgres://a/d?${query}`, environment).tls.mode).toBe(mode)
})

test('the other parameters of libpq are read, or have no effect', () => {
  const query =
    'application_name=mine&connect_timeout=3&options=-c%20search_path%3Dx&target_session_attrs=read-write' +
    '&load_balance_hosts=random&keepalives=0&keepalives_idle=9&channel_binding=require&gssencmode=prefer' +
    '&client_encoding=utf8&fallback_application_name=x&tcp_user_timeout=5'
  expect(parse(`postgres://a/d?${query}`)).toMatchObject({
    applicationName: 'mine',
    connectTimeoutMs: 3_000,
    options: '-c search_path=x',
    targetSession: 'read-write',
    isShuffled: true,
    keepAlive: false,
    keepAliveIdleMs: 9_000,
    tls: { needsChannelBinding: true },
  })
})

test.each([
  ['postgres://a', 'names no database'],
  ['postgres:///d', 'names no server'],
  ['postgres://a:x/d', 'which is no URL'],
  ['postgres://a,b/d?port=1,2,3', 'one port for each host'],
  ['postgres://a,b/d?hostaddr=::1', 'one hostaddr for each host'],
  ['postgres://me:50%@a/d', 'write % of a password as %25'],
  [
    'postgres://a/d?sslmode=on',
    'sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full',
  ],
  ['postgres://a/d?sslmode=verify-ca', 'needs sslrootcert'],
  ['postgres://a/d?sslcert=/c.pem', 'both sslcert and sslkey'],
  ['postgres://a/d?target_session_attrs=primry', 'target_session_attrs must be one of any, read-write'],
  ['postgres://a/d?connect_timeout=soon', 'must be numbers'],
  ['postgres://a/d?service=prod', 'whose parameter service is not supported'],
  ['postgres://a/d?gssencmode=require', 'whose parameter gssencmode has a value that is not supported'],
  ['postgres://a/d?S3cr3t!=x', 'whose parameter with an unknown name is not supported'],
])('%s is refused by one clause', (url, reason) => {
  expect(parseConnectionUrl(url, {})).toEqual({ reason: expect.stringContaining(reason) as string })
})
