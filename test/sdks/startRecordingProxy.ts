import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Hands requests of JSON on to `target`, and keeps their bodies. */
export async function startRecordingProxy(target: string) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      bodies.push(body)
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(target, { method: 'POST', headers, body })
      response.writeHead(answer.status, headers).end(await answer.text())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    /** The bodies since the last call. */
    takeBodies: (): readonly string[] => bodies.splice(0),
    close: async (): Promise<void> => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
