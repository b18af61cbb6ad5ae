import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A server of the commands that `connectSharedCounts` sends (RESP 2, https://valkey.io/topics/protocol). */
export interface CountServer {
  readonly url: string
  /** Whether commands get no answers. */
  isSilent: boolean
  /** Increments that were asked for. */
  increments: number
  /** Ends the server and its connections; another one may begin at its port. */
  stop(): Promise<void>
}

interface Hash {
  readonly counts: Map<string, number>
  endsAtMs: number | null
}

export async function startCountServer(port = 0): Promise<CountServer> {
  const hashes = new Map<string, Hash>()
  const sockets = new Set<Socket>()

  function hashOf(key: string): Hash {
    const known = hashes.get(key)
    if (known !== undefined && (known.endsAtMs === null || known.endsAtMs > performance.now())) return known
    const hash: Hash = { counts: new Map(), endsAtMs: null }
    hashes.set(key, hash)
    return hash
  }

  function answer([name = '', key = '', ...rest]: readonly string[]): string {
    const hash = hashOf(key)
    switch (name.toLowerCase()) {
      case 'hincrby': {
        const [field = '', by = '0'] = rest
        const count = (hash.counts.get(field) ?? 0) + Number(by)
        hash.counts.set(field, count)
        return `:${count}\r\n`
      }
      case 'pexpire': {
        const isSet = rest[1] === 'NX' && hash.endsAtMs !== null
        if (!isSet) hash.endsAtMs = performance.now() + Number(rest[0])
        return `:${isSet ? 0 : 1}\r\n`
      }
      case 'pttl':
        return `:${hash.endsAtMs === null ? -1 : Math.ceil(hash.endsAtMs - performance.now())}\r\n`
      case 'info':
        return '$9\r\nloading:0\r\n'
      case 'auth':
      case 'client':
        return '+OK\r\n'
      default:
        return `-ERR unknown command '${name}'\r\n`
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      text += data.toString('latin1')
      for (let read = readCommand(text); read !== null; read = readCommand(text)) {
        text = text.slice(read.length)
        if (read.words[0]?.toLowerCase() === 'hincrby') countServer.increments += 1
        if (!countServer.isSilent) socket.write(answer(read.words))
      }
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const countServer: CountServer = {
    url: `valkey://:s3cr3t@127.0.0.1:${(server.address() as AddressInfo).port}`,
    isSilent: false,
    increments: 0,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return countServer
}

/** The first command of a text, an array of bulk strings; null while it is not whole. */
function readCommand(text: string): { readonly words: readonly string[]; readonly length: number } | null {
  const head = /^\*(\d+)\r\n/.exec(text)
  if (head === null) return null
  const words: string[] = []
  let at = head[0].length
  for (let left = Number(head[1]); left > 0; left--) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20))
    if (size === null) return null
    const from = at + size[0].length
    at = from + Number(size[1]) + 2
    if (text.length < at) return null
    words.push(text.slice(from, at - 2))
  }
  return { words, length: at }
}
