import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'

/** A pooler in front of a PostgreSQL server, as PgBouncer is in transaction mode. */
export interface TransactionPooler {
  /** The URL of the database through the pooler. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Gives one server connection to many clients, a transaction at a time. What belongs to a session then belongs to all:
 * each client is told that it holds an advisory lock which another one has taken. Statements have names of their own for
 * each client, as newer poolers give them. The first client logs in to the server; the others are not asked.
 */
export async function startTransactionPooler(databaseUrl: string): Promise<TransactionPooler> {
  const target = new URL(databaseUrl)
  const upstream = connect(Number(target.port), target.hostname)
  await once(upstream, 'connect')
  const clients = new Set<Client>()
  const waiting: Client[] = []
  let owner: Client | null = null
  /** What the server says at the end of its first login. */
  let greeting: Buffer | null = null
  let count = 0

  function pass(client: Client): void {
    for (const message of client.pending.splice(0)) {
      if (isOf(message, 'Q', 'S')) client.unanswered += 1
      upstream.write(withOwnNames(message, client.prefix))
    }
  }

  /** Gives the connection to the next client with something to say. */
  function handOver(): void {
    if (owner !== null || greeting === null) return
    owner = waiting.shift() ?? null
    if (owner !== null) pass(owner)
  }

  upstream.on(
    'data',
    splitMessages((message) => {
      if (greeting === null) {
        const first = [...clients][0]
        first?.socket.write(message)
        if (!isOf(message, 'Z')) {
          if (isOf(message, 'S', 'K')) parts.push(message)
          return
        }
        greeting = Buffer.concat([authenticationOk, ...parts, message])
        if (first !== undefined) first.isLoggedIn = true
        for (const client of [...clients].slice(1)) greet(client)
        return handOver()
      }
      owner?.socket.write(message)
      if (owner === null || !isOf(message, 'Z')) return
      owner.unanswered -= 1
      const isIdle = message[5] === 'I'.charCodeAt(0)
      if (!isIdle || owner.unanswered > 0 || owner.pending.length > 0) return
      owner = null
      handOver()
    }),
  )
  const parts: Buffer[] = []

  function greet(client: Client): void {
    if (greeting === null) return
    client.isLoggedIn = true
    client.socket.write(greeting)
  }

  const server = createServer((socket) => {
    const client: Client = { socket, prefix: `c${++count}_`, pending: [], unanswered: 0, isLoggedIn: false }
    const isFirst = clients.size === 0
    clients.add(client)
    socket.on('error', () => undefined)
    socket.on('close', () => clients.delete(client))
    const read = splitMessages((message) => {
      if (!client.isLoggedIn) return void (isFirst && upstream.write(message))
      // The end of a client is not that of the connection.
      if (isOf(message, 'X')) return
      client.pending.push(message)
      if (owner === client) return pass(client)
      if (!waiting.includes(client)) waiting.push(client)
      handOver()
    })
    socket.once('data', (startup: Buffer) => {
      if (isFirst) upstream.write(startup)
      else greet(client)
      socket.on('data', read)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    close: async () => {
      for (const { socket } of clients) socket.destroy()
      upstream.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Client {
  readonly socket: Socket
  readonly prefix: string
  readonly pending: Buffer[]
  /** Messages that the server answers with `ReadyForQuery`. */
  unanswered: number
  isLoggedIn: boolean
}

const authenticationOk = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])

function isOf(message: Buffer, ...types: readonly string[]): boolean {
  return types.includes(String.fromCharCode(message[0] ?? 0))
}

/** Reads a stream of messages, each of a type, a length and its content. */
function splitMessages(take: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      take(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

/** A message with the names of its client's statements before those of others. */
function withOwnNames(message: Buffer, prefix: string): Buffer {
  const at = nameAt(message)
  if (at === null || message[at] === 0) return message
  const named = Buffer.concat([message.subarray(0, at), Buffer.from(prefix), message.subarray(at)])
  named.writeUInt32BE(named.length - 1, 1)
  return named
}

/** Where the name of a statement stands in a message; null for messages that name none. */
function nameAt(message: Buffer): number | null {
  if (isOf(message, 'P')) return 5
  if (isOf(message, 'B')) return message.indexOf(0, 5) + 1
  return isOf(message, 'D', 'C') && message[5] === 'S'.charCodeAt(0) ? 6 : null
}
