import { createHmac, hash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A small server of S3's protocol, which keeps files in memory and refuses requests that its key has not signed. */
export interface Bucket {
  /** By their paths, which begin with the name of the bucket. */
  readonly files: Map<string, Buffer>
  /** Answers to the next requests, in their order. */
  readonly failures: BucketFailure[]
  /** The variables that name the server and its key. */
  readonly environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface BucketFailure {
  readonly status: number
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>>
}

const secret = 'a/secret+key'

export async function startBucket(): Promise<Bucket> {
  const files = new Map<string, Buffer>()
  const failures: BucketFailure[] = []

  /** Two keys a page. */
  function listOf(bucket: string, parameters: URLSearchParams): string {
    const start = `${bucket}${parameters.get('prefix') ?? ''}`
    const keys = [...files.keys()]
      .filter((path) => path.startsWith(start))
      .map((path) => path.slice(bucket.length))
    const from = Number(parameters.get('continuation-token')?.slice('&+= '.length) ?? 0)
    const page = keys.slice(from, from + 2).map((key) => `<Contents><Key>${key}</Key></Contents>`)
    const next = `<NextContinuationToken>&amp;+= ${from + 2}</NextContinuationToken>`
    return `<ListBucketResult>${page.join('')}${from + 2 < keys.length ? next : ''}</ListBucketResult>`
  }

  const server = createServer((request, response) => {
    void Array.fromAsync(request).then((pieces) => {
      const body = Buffer.concat(pieces as Buffer[])
      if (!isSigned(request, body)) return response.writeHead(403).end()
      const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://bucket')
      const failure = failures.shift()
      if (failure !== undefined) {
        return response
          .writeHead(failure.status, { ...failure.headers })
          .end(`<Error><Code>${failure.code ?? ''}</Code></Error>`)
      }
      if (searchParams.has('list-type')) return response.writeHead(200).end(listOf(path, searchParams))
      if (request.headers['if-none-match'] === '*' && files.has(path)) return response.writeHead(412).end()
      if (request.method === 'PUT') files.set(path, body)
      if (request.method === 'DELETE') files.delete(path)
      const file = files.get(path)
      if (request.method === 'DELETE') return response.writeHead(204).end()
      if (file === undefined) return response.writeHead(404).end()
      return response
        .writeHead(200, { 'content-length': request.method === 'PUT' ? 0 : file.length })
        .end(request.method === 'GET' ? file : '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    files,
    failures,
    environment: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'someone',
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_REGION: 'auto',
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Whether a request is signed by Signature Version 4, worked out from what arrived. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const found =
    /^AWS4-HMAC-SHA256 Credential=someone\/(\d{8})\/auto\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    )
  if (found === null) return false
  const [, day = '', names = '', signature] = found
  if (request.headers['x-amz-content-sha256'] !== hash('sha256', body)) return false
  const url = new URL(request.url ?? '', 'http://bucket')
  const canonical = [
    request.method,
    url.pathname,
    // The parameters arrive in the order of their names.
    url.search.slice(1),
    ...names.split(';').map((name) => `${name}:${String(request.headers[name])}`),
    '',
    names,
    hash('sha256', body),
  ].join('\n')
  const text = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    `${day}/auto/s3/aws4_request`,
    hash('sha256', canonical),
  ].join('\n')
  const hmac = (key: Buffer | string, part: string) => createHmac('sha256', key).update(part).digest()
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), 'auto'), 's3'), 'aws4_request')
  return hmac(key, text).toString('hex') === signature
}
