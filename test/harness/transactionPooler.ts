import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A pooler in front of a PostgreSQL server, as PgBouncer is in transaction mode. */
export interface TransactionPooler {
  /** The URL of the database through the pooler. */
  readonly url: string
  /** Changes the mode under the clients, as a reload of PgBouncer's configuration does. */
  giveSessionsBy(mode: PoolMode): void
  close(): Promise<void>
}

export type PoolMode = 'transaction' | 'session'

export interface PoolerOptions {
  /** How long a client keeps a connection: for a transaction, as by default, or until it leaves. */
  readonly mode?: PoolMode
  /** Connections to the server. The transactions of one client take turns on all of them. */
  readonly connections: number
  /** Whether a client finds its named statements on each connection, as with PgBouncer since 1.21. */
  readonly namedStatements: boolean
}

/**
 * Spreads the transactions of many clients over some connections of the server. All clients of a connection share its
 * session state: one client seems to hold an advisory lock that another one has taken. The server must trust every
 * user.
 */
export async function startTransactionPooler(
  databaseUrl: string,
  { connections, namedStatements, mode: firstMode = 'transaction' }: PoolerOptions = {
    connections: 1,
    namedStatements: true,
  },
): Promise<TransactionPooler> {
  const target = new URL(databaseUrl)
  const clients = new Set<Client>()
  const waiting: Client[] = []
  const free: Upstream[] = []
  const all = new Set<Upstream>()
  let greeting = Buffer.alloc(0)
  let count = 0
  let mode = firstMode

  async function addUpstream(): Promise<void> {
    const socket = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const upstream: Upstream = {
      socket,
      owner: null,
      unanswered: 0,
      isIdle: true,
      prepared: new Set(),
      expected: [],
    }
    const ready = Promise.withResolvers<void>()
    const parts: Buffer[] = []
    let isReady = false
    socket.on(
      'data',
      splitMessages((message) => {
        if (isReady) return answer(upstream, message)
        if (isOf(message, 'S', 'K')) parts.push(message)
        if (!isOf(message, 'Z')) return
        greeting = Buffer.concat([authenticationOk, ...parts, message])
        isReady = true
        ready.resolve()
      }),
    )
    socket.write(startupMessage(target))
    await ready.promise
    all.add(upstream)
    free.push(upstream)
    handOver()
  }

  /** Gives the connections that are free to clients with something to say. */
  function handOver(): void {
    while (free.length > 0 && waiting.length > 0) {
      const [upstream, client] = [free.shift(), waiting.shift()]
      if (upstream === undefined || client === undefined) return
      upstream.owner = client
      client.upstream = upstream
      pass(upstream, client)
    }
  }

  function pass(upstream: Upstream, client: Client): void {
    for (const message of client.pending.splice(0)) {
      if (isOf(message, 'Q', 'S')) {
        upstream.unanswered += 1
        upstream.expected.push('end')
      }
      const name = namedStatements ? nameOf(message) : null
      if (name === null) {
        if (isOf(message, 'P')) upstream.expected.push('shown')
        upstream.socket.write(message)
        continue
      }
      const own = `${client.prefix}${name}`
      if (isOf(message, 'P')) {
        client.parses.set(own, withName(message, own))
        upstream.expected.push('shown')
      } else if (!upstream.prepared.has(own)) {
        upstream.expected.push('hidden')
        upstream.socket.write(client.parses.get(own) ?? message)
      }
      upstream.prepared.add(own)
      upstream.socket.write(withName(message, own))
    }
  }

  function answer(upstream: Upstream, message: Buffer): void {
    const client = upstream.owner
    if (client === null) return
    // The answer to a statement that the client has prepared on another connection.
    if (isOf(message, '1') && upstream.expected.shift() === 'hidden') return
    client.socket.write(message)
    if (!isOf(message, 'Z')) return
    upstream.expected.splice(0, upstream.expected.indexOf('end') + 1)
    upstream.unanswered -= 1
    upstream.isIdle = message[5] === 'I'.charCodeAt(0)
    if (mode === 'transaction') release(upstream)
  }

  /** Takes a connection from its client at the end of a transaction. */
  function release(upstream: Upstream): void {
    const client = upstream.owner
    if (client === null || !upstream.isIdle || upstream.unanswered > 0 || client.pending.length > 0) return
    upstream.owner = null
    client.upstream = null
    free.push(upstream)
    handOver()
  }

  const server = createServer({ noDelay: true }, (socket) => {
    const client: Client = {
      socket,
      prefix: `c${++count}_`,
      pending: [],
      parses: new Map(),
      upstream: null,
    }
    clients.add(client)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clients.delete(client)
      if (waiting.includes(client)) waiting.splice(waiting.indexOf(client), 1)
      // A transaction that the client has left open ends with the connection.
      if (client.upstream === null || server.listening === false) return
      all.delete(client.upstream)
      client.upstream.socket.destroy()
      addUpstream().catch(() => undefined)
    })
    const read = splitMessages((message) => {
      // The end of a client is not that of a connection.
      if (isOf(message, 'X')) return
      client.pending.push(message)
      if (client.upstream !== null) return pass(client.upstream, client)
      if (!waiting.includes(client)) waiting.push(client)
      handOver()
    })
    socket.once('data', () => {
      socket.write(greeting)
      socket.on('data', read)
    })
  })
  for (let index = 0; index < connections; index++) await addUpstream()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    giveSessionsBy: (next) => {
      mode = next
      if (mode === 'transaction') for (const upstream of all) release(upstream)
    },
    close: async () => {
      server.close()
      for (const { socket } of clients) socket.destroy()
      for (const { socket } of all) socket.destroy()
      await once(server, 'close')
    },
  }
}

interface Client {
  readonly socket: Socket
  readonly prefix: string
  readonly pending: Buffer[]
  /** The messages that prepared its statements, by the names that these have on the server. */
  readonly parses: Map<string, Buffer>
  upstream: Upstream | null
}

interface Upstream {
  readonly socket: Socket
  owner: Client | null
  /** Messages that the server answers with `ReadyForQuery`. */
  unanswered: number
  /** Whether no transaction is under way. */
  isIdle: boolean
  readonly prepared: Set<string>
  /** Whether the client sees the answer to each statement that is being prepared, and the ends of its messages. */
  readonly expected: ('shown' | 'hidden' | 'end')[]
}

const authenticationOk = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])

/** The first message of a connection, for version 3.0 of the protocol. */
function startupMessage({ username, pathname }: URL): Buffer {
  const content = Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(head.length + content.length)
  head.writeUInt32BE(3 << 16, 4)
  return Buffer.concat([head, content])
}

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

/** The name of the statement in a message; null without one. */
function nameOf(message: Buffer): string | null {
  const at = nameAt(message)
  return at === null || message[at] === 0 ? null : message.toString('latin1', at, message.indexOf(0, at))
}

function withName(message: Buffer, name: string): Buffer {
  const at = nameAt(message) ?? 0
  const rest = message.subarray(message.indexOf(0, at))
  const named = Buffer.concat([message.subarray(0, at), Buffer.from(name), rest])
  named.writeUInt32BE(named.length - 1, 1)
  return named
}

/** Offset of a statement's name in a message; null for messages that name no statement. */
function nameAt(message: Buffer): number | null {
  if (isOf(message, 'P')) return 5
  if (isOf(message, 'B')) return message.indexOf(0, 5) + 1
  return isOf(message, 'D', 'C') && message[5] === 'S'.charCodeAt(0) ? 6 : null
}
