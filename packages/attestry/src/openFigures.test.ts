import { expect, test } from 'vitest'
import { hashKey, newKey } from '@attestry/server/pipeline/access/apiKeys.ts'
import { openAccess } from '@attestry/host/config/accessRules.ts'
import { openFigures } from './openFigures.ts'

const metrics = { contentType: 'text/plain', text: () => Promise.resolve('x 1\n') }
const key = newKey()
const keys = [{ name: 'prometheus', hash: hashKey(key) }]

/** The answers without a key, with a wrong key and with the right one. */
async function ask(metricsHost: string, rules: Partial<typeof openAccess>): Promise<unknown> {
  const server = openFigures(
    { metricsHost, metricsPort: 0, access: { ...openAccess, ...rules }, keys },
    metrics,
  )
  // The address of the test is of this machine, whatever the configuration says.
  await server?.listen('127.0.0.1', 0)
  const url = `http://127.0.0.1:${server?.port()}/metrics`
  const answers = await Promise.all([
    fetch(url),
    fetch(url, { headers: { 'x-api-key': `${key}x` } }),
    fetch(url, { headers: { authorization: `Bearer ${key}` } }),
  ])
  const found = await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))
  await server?.close()
  return found
}

const shown = [200, 'x 1\n']
const refused = [401, 'This path needs a key of its operator; send one in the header x-api-key.\n']

test.each(['0.0.0.0', '::', '10.0.0.7'])('private figures at %s need a key', async (host) => {
  expect(await ask(host, { private: { metrics: ['/metrics'] } })).toEqual([refused, refused, shown])
  expect(await ask(host, { anonymous: false })).toEqual([refused, refused, shown])
  expect(await ask(host, { private: { export: ['/scan/export'] } })).toEqual([shown, shown, shown])
})

test.each(['127.0.0.1', 'localhost', '::1'])(
  'figures that only this machine reaches at %s need none',
  async (host) => {
    expect(await ask(host, { private: { metrics: ['/metrics'] } })).toEqual([shown, shown, shown])
  },
)

test('without a port there is no server', () => {
  expect(openFigures({ metricsHost: '0.0.0.0', access: openAccess, keys }, metrics)).toBeNull()
})
