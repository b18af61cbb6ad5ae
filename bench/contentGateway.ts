import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { contentIdOfFile } from '@attestry/core/model/contentId.ts'
import { answerQuestions } from './childProcess.ts'

/**
 * A gateway of IPFS with small JSON files, in a process of its own. Arguments: the number of files, and how many it gives
 * out a second. Prints its URL and the identifiers as one JSON line, and answers the question `answered`.
 */
const files = Number(process.argv[2] ?? 1_000)
const perSecond = Number(process.argv[3] ?? 1_000)

const texts = Array.from({ length: files }, (_, number) =>
  JSON.stringify({ number, name: `Name ${number}`, level: number % 5, tags: ['one', 'two'] }),
)
const byId = new Map(texts.map((text) => [contentIdOfFile(Buffer.from(text)), text]))
let answered = 0
let nextAtMs = 0

const server = createServer((request, response) => {
  // Each answer has its place in time: pauses of the requests are not made up for.
  nextAtMs = Math.max(performance.now(), nextAtMs + 1_000 / perSecond)
  void delay(Math.max(0, nextAtMs - performance.now())).then(() => {
    const text = byId.get((request.url ?? '').replace(/^\/ipfs\/|\?.*$/g, ''))
    answered += 1
    response.writeHead(text === undefined ? 404 : 200).end(text)
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
answerQuestions({ answered: () => answered })
const { port } = server.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/ipfs/`, ids: [...byId.keys()] })}\n`)
