import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deserialize } from 'node:v8'
import { openConnection } from '@attestry/store/sqlite/connection.ts'
import { answerQuestions } from './childProcess.ts'
import type { RecordedAnswer } from './recordAnswers.ts'

/**
 * The baselines for the API: only `node:http`, with prepared bodies for the same requests. With a database, the limit:
 * the same, after the statements that read the rows of the answer. `bareServer.ts FILE [DATABASE]` reads the answers
 * that `recordAnswers.ts` recorded, and prints its port as one line of JSON.
 */
const [file = '', database] = process.argv.slice(2)
/** Opened as a reader of the program opens its own. */
const connection = database === undefined ? null : openConnection(database, { readOnly: true, cacheMib: 48 })
interface PreparedAnswer {
  readonly body: string
  readonly headers: string[]
  readonly read: readonly (() => unknown)[]
}
const answers = new Map<string, PreparedAnswer>()
// `benchServing.ts` wrote the file.
for (const { request, body, statements } of deserialize(readFileSync(file)) as RecordedAnswer[]) {
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
  ]
  const read = statements.flatMap(({ sql, method, parameters }) => {
    const statement = connection?.statement(sql)
    if (statement === undefined) return []
    const readRows = () => statement[method](...parameters)
    return [readRows]
  })
  answers.set(request, { body, headers, read })
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
  if (found === undefined) return void response.writeHead(404, { 'content-length': 0 }).end()
  for (const read of found.read) read()
  response.writeHead(200, found.headers).end(found.body)
}

answerQuestions()
server.listen(0, '127.0.0.1', () => {
  // `address()` of a server that listens on a port is an `AddressInfo`.
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
process.on('SIGTERM', () => process.exit())
