import { expect, test } from 'vitest'
import { closing } from '@attestry/host/closing.ts'
import { startMeanwhile } from './startMeanwhile.ts'

const address = { host: '127.0.0.1', port: 0 }

test('while the index is built, only /healthz is 200, and all else says so with Retry-After', async () => {
  await using meanwhile = closing(await startMeanwhile(address, 'Nothing is loaded.'))
  const ask = async (path: string) => {
    const response = await fetch(`${meanwhile.url}${path}`)
    return [response.status, response.headers.get('retry-after'), await response.json()] as const
  }
  const healthy = { success: true, statusCode: 200, data: { status: 'ok' }, message: 'ok' }
  for (const path of ['/healthz', '/api/healthz/?a']) expect(await ask(path)).toEqual([200, null, healthy])
  expect(await ask('/')).toMatchObject([503, '10', { message: 'Nothing is loaded.' }])
  meanwhile.say('7 events are loaded.')
  const failed = { success: false, statusCode: 503, message: '7 events are loaded.' }
  const paths = ['/', '/scan/chains', '/api/scan/attestations?size=1', '/graphql', '/healthz/x']
  for (const path of paths) expect(await ask(path)).toEqual([503, '10', { ...failed, data: {} }])
  const notReady = { ...failed, data: { status: 'notReady', chains: [] } }
  for (const path of ['/readyz', '/api/readyz']) expect(await ask(path)).toEqual([503, '10', notReady])
})

test('another server listens on the port as soon as this one has ended', async () => {
  const first = await startMeanwhile(address, 'first')
  await fetch(first.url)
  const port = Number(new URL(first.url).port)
  await expect(startMeanwhile({ ...address, port }, '')).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use`,
  )
  await first.close()
  await using second = closing(await startMeanwhile({ ...address, port }, 'second'))
  expect(await (await fetch(second.url)).json()).toMatchObject({ message: 'second' })
})
