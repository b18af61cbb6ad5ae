import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export interface FolderServer {
  readonly url: string
  /** The paths that were asked for, in order. */
  readonly requests: readonly string[]
  close(): Promise<void>
}

/** Serves a folder, as a plain web server does. `intervene` may answer a request in its own way. */
export async function startFolderServer(
  folder: string,
  intervene: (path: string, response: ServerResponse, file: Buffer) => boolean = () => false,
): Promise<FolderServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    requests.push(path)
    readFile(join(folder, path)).then(
      (file) => {
        if (intervene(path, response, file)) return
        const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
        const headers =
          from === 0 ? {} : { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }
        response.writeHead(from === 0 ? 200 : 206, headers).end(file.subarray(from))
      },
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
