import { expect, test } from 'vitest'
import { createMetricsServer } from './createMetricsServer.ts'

test('the port of its own shows the figures, and nothing else', async () => {
  const server = createMetricsServer(
    { contentType: 'text/plain', text: () => Promise.resolve('x 1\n') },
    null,
  )
  await server.listen('127.0.0.1', 0)
  const url = `http://127.0.0.1:${server.port()}`
  const response = await fetch(`${url}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain')
  expect(await response.text()).toBe('x 1\n')
  expect((await fetch(`${url}/scan/schemas`)).status).toBe(404)
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405)
  await server.close()
  await expect(fetch(`${url}/metrics`)).rejects.toThrow(TypeError)
})

test('a taken address is reported', async () => {
  const metrics = { contentType: 'text/plain', text: () => Promise.resolve('') }
  const first = createMetricsServer(metrics, null)
  await first.listen('127.0.0.1', 0)
  const second = createMetricsServer(metrics, null)
  await expect(second.listen('127.0.0.1', first.port() ?? 0)).rejects.toThrow('EADDRINUSE')
  await second.close()
  await first.close()
})
