import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { errorEnvelope, successEnvelope } from '@attestry/server/pipeline/envelope.ts'
import { corsHeaders, jsonContentType } from '@attestry/server/pipeline/headers.ts'
import { boundPort, describeListenFailure, type ListenAddress } from '@attestry/host/listenAddress.ts'
import type { MeanwhileMessage } from './startMeanwhile.ts'

/**
 * The body of the thread that answers requests while the index is built: `/healthz` as ever, and all others by 503 with
 * the sentence of the newest message. `startMeanwhile` starts this thread, since statements of the builder take the
 * main thread for seconds.
 */

/** Seconds until a client may ask again; a large index is built in minutes. */
const retryAfterSeconds = 10

const { address, text: firstText } = workerData as { readonly address: ListenAddress; readonly text: string }
let text = firstText

const server = createServer((request, response) => {
  const path = (request.url ?? '/').replace(/\?.*/s, '').replace(/^\/api(?=\/)/, '')
  const isHealth = /^\/healthz\/?$/.test(path)
  const data = /^\/readyz\/?$/.test(path) ? { status: 'notReady', chains: [] } : {}
  response.writeHead(isHealth ? 200 : 503, {
    ...corsHeaders,
    'content-type': jsonContentType,
    'cache-control': 'no-store',
    ...(isHealth ? {} : { 'retry-after': String(retryAfterSeconds) }),
    connection: 'close',
  })
  response.end(isHealth ? successEnvelope({ status: 'ok' }) : errorEnvelope(503, text, data))
})
server.once('error', (error) => {
  send({ kind: 'failed', message: describeListenFailure(error, address) })
})
server.listen(address, () => send({ kind: 'listening', port: boundPort(server.address()) }))

parentPort?.on('message', (message: string | null) => {
  if (message !== null) {
    text = message
    return
  }
  server.close(() => parentPort?.close())
  server.closeAllConnections()
})

function send(message: MeanwhileMessage): void {
  parentPort?.postMessage(message)
}
