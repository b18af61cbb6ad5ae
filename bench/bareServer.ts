import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions } from './childProcess.ts'

/**
 * What the API is measured against: `node:http` alone, sending the same bodies for the same requests, all of them made
 * beforehand: `bareServer.ts FILE`, the file holding a JSON pair of request and body a line. Says its port as one line of JSON.
 */
const answers = new Map<string, { readonly body: string; readonly headers: string[] }>()
for (const line of readFileSync(process.argv[2] ?? '', 'utf8').split('\n')) {
  if (line === '') continue
  // The lines are those that `benchServing.ts` has written.
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
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
process.on('SIGTERM', () => process.exit())
