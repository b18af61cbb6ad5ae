import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions } from './childProcess.ts'

/**
 * The baseline for the API: `node:http` alone, with prepared bodies for the same requests. `bareServer.ts FILE` reads a
 * JSON pair of request and body per line, and prints its port as one line of JSON.
 */
const answers = new Map<string, { readonly body: string; readonly headers: string[] }>()
for (const line of readFileSync(process.argv[2] ?? '', 'utf8').split('\n')) {
  if (line === '') continue
  // `benchServing.ts` wrote these lines.
  const [request, body] = JSON.parse(line) as [string, string]
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
  ]
  answers.set(request, { body, headers })
}
const server = createServer((request, response) => {
  if (request.method !== 'POST') return answer(request.url ?? '', response)
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => answer(`${request.url} ${body}`, response))
})

function answer(request: string, response: ServerResponse): void {
  const found = answers.get(request)
  if (found === undefined) response.writeHead(404, { 'content-length': 0 }).end()
  else response.writeHead(200, found.headers).end(found.body)
}

answerQuestions()
server.listen(0, '127.0.0.1', () => {
  // `address()` of a server that listens on a port is an `AddressInfo`.
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
process.on('SIGTERM', () => process.exit())
