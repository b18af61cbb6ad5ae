import { PlaceUnavailableError } from '@attestry/core/errors/placeErrors.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import type { Place, WritablePlace } from './place.ts'
import { createFolderPlace } from './folderPlace.ts'
import { createV4Signer } from './signV4.ts'
import {
  createWebPlace,
  notImplemented,
  regionOf,
  type SentAnswer,
  type WebOptions,
  type WebPlace,
} from './webPlace.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The place that a text names: a folder, `s3://BUCKET/PREFIX`, or, to read, a URL. `option` is what the text was given
 * as.
 * @throws ConfigError
 */
export function openPlace(
  text: string,
  option: string,
  environment: Environment,
  web: WebOptions = {},
): Place {
  return /^https?:\/\//i.test(text)
    ? openUrl(text, option, web)
    : openWritablePlace(text, option, environment, web)
}

/** @throws ConfigError */
export function openWritablePlace(
  text: string,
  option: string,
  environment: Environment,
  web: WebOptions = {},
): WritablePlace {
  if (/^s3:\/\//i.test(text)) return openBucket(text, option, environment, web)
  if (text === '' || /^[a-z][a-z0-9+.-]+:\/\//i.test(text)) {
    throw new ConfigError(`${option} must be a folder or s3://BUCKET/PREFIX, but is ${shown(text)}`)
  }
  return createFolderPlace(text)
}

/** Without what may be a password. */
function shown(text: string): string {
  return text === '' ? 'empty' : `a URL of ${/^[^:]+/.exec(text)?.[0] ?? ''}`
}

function openUrl(text: string, option: string, web: WebOptions): Place {
  const url = URL.parse(text)
  if (url === null)
    throw new ConfigError(`${option} is no URL; it must be one such as https://chunks.example/attestry/`)
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  return createWebPlace(url, url.host, {
    ...web,
    ...(credentials === ':' ? {} : { sign: () => ({ authorization }) }),
  })
}

/** By the variables of the AWS command line. Buckets elsewhere (R2, MinIO) have AWS_ENDPOINT_URL. */
function openBucket(text: string, option: string, environment: Environment, web: WebOptions): WritablePlace {
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/([A-Za-z0-9._/-]*))?$/.exec(text)
  if (found === null)
    throw new ConfigError(`${option} must be s3://BUCKET or s3://BUCKET/PREFIX of letters, digits and ._/-`)
  const [, bucket = '', prefix = ''] = found
  const need = (name: string): string => {
    const value = environment[name] ?? ''
    if (value === '')
      throw new ConfigError(`The environment variable ${name} is missing, which a bucket of S3 needs`)
    return value
  }
  const region = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? 'us-east-1'
  const endpoint =
    environment['AWS_ENDPOINT_URL_S3'] ??
    environment['AWS_ENDPOINT_URL'] ??
    `https://s3.${region}.amazonaws.com`
  const base = URL.parse(endpoint)
  if (base === null || !/^https?:$/.test(base.protocol))
    throw new ConfigError('The environment variable AWS_ENDPOINT_URL is no URL')
  const folder = prefix.split('/').filter((part) => part !== '')
  const root = ['', ...base.pathname.split('/').filter((part) => part !== ''), bucket].join('/')
  base.pathname = [root, ...folder, ''].join('/')
  const sign = createV4Signer({
    accessKeyId: need('AWS_ACCESS_KEY_ID'),
    secretAccessKey: need('AWS_SECRET_ACCESS_KEY'),
    sessionToken: environment['AWS_SESSION_TOKEN'] ?? null,
    region,
  })
  const place = createWebPlace(base, `s3://${[bucket, ...folder].join('/')}`, { ...web, sign })
  return bucketOf(place, `${root}/`, folder.map((part) => `${part}/`).join(''))
}

/** `root` is the path of the bucket on its server, and `prefix` that of the place in the bucket. */
function bucketOf({ name, read, send }: WebPlace, root: string, prefix: string): WritablePlace {
  function refused(what: string, path: string, answer: SentAnswer): PlaceUnavailableError {
    return new PlaceUnavailableError(
      `${path} of ${name} cannot be ${what}: the server answers ${answer.status}${explainRefusal(answer)}`,
    )
  }

  function expectDone(method: 'PUT' | 'DELETE', path: string, answer: SentAnswer): void {
    if (answer.ok || (method === 'DELETE' && answer.status === 404 && codeOf(answer) !== 'NoSuchBucket'))
      return
    throw refused(method === 'PUT' ? 'written' : 'deleted', path, answer)
  }

  async function measure(path: string, signal: AbortSignal): Promise<number | null> {
    const answer = await send('HEAD', path, null, signal)
    if (answer.status === 404) return null
    if (!answer.ok) throw refused('read', path, answer)
    const length = answer.headers.get('content-length')
    return length === null ? null : Number(length)
  }

  /** By ListObjectsV2 (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html). */
  async function list(folder: string, signal: AbortSignal): Promise<readonly string[] | null> {
    const start = `${prefix}${folder}/`
    const found: string[] = []
    // In the order of their names, as signatures have them.
    const rest = `list-type=2&prefix=${encodeURIComponent(start)}`
    let query = rest
    for (;;) {
      const bytes = await read(`${root}?${query}`, listBytesMax, signal).catch((error: unknown) => {
        if (error instanceof PlaceUnavailableError) return null
        throw error
      })
      const text = bytes === null ? '' : Buffer.from(bytes).toString()
      if (!text.includes('<ListBucketResult')) return null
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        if (key.startsWith(start)) found.push(key.slice(start.length))
      }
      const next = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(text)?.[1]
      if (next === undefined) return found
      query = `continuation-token=${encodeURIComponent(next.replaceAll('&amp;', '&'))}&${rest}`
    }
  }

  return {
    name,
    read,
    write: async (path, bytes, signal) => expectDone('PUT', path, await send('PUT', path, bytes, signal)),
    create: async (path, bytes, signal) => {
      const answer = await send('PUT', path, bytes, signal, { 'if-none-match': '*' })
      if (answer.status === notImplemented || codeOf(answer) === 'NotImplemented') {
        throw new PlaceUnavailableError(
          `${path} of ${name} cannot be written: the server answers ${answer.status}, since it lacks conditional ` +
            'writes (If-None-Match), without which two processes could write at once; take another bucket',
        )
      }
      if (answer.status !== 412) {
        expectDone('PUT', path, answer)
        return true
      }
      if ((await measure(path, signal)) !== bytes.length) return false
      const found = await read(path, bytes.length, signal)
      return found !== null && Buffer.compare(found, bytes) === 0
    },
    measure,
    list,
    remove: async (path, signal) => expectDone('DELETE', path, await send('DELETE', path, null, signal)),
  }
}

/** A page of a list has a thousand keys at most, of a kilobyte at most. */
const listBytesMax = 4 * 1024 * 1024

/** The code of an error in an answer of S3; null for a body without one. */
function codeOf({ text }: SentAnswer): string | null {
  return /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? null
}

/** The end of a sentence about a refusal, which says what would mend it. */
function explainRefusal(answer: SentAnswer): string {
  const { status, headers } = answer
  const region = regionOf(headers)
  const code = codeOf(answer)
  if (code !== null && Object.hasOwn(refusals, code)) return `: ${refusals[code]}`
  if (status === 400 && region !== null)
    return `: the bucket is in the region ${region}; set AWS_REGION to that`
  if (status === 403) return ': the key may not do that'
  if (status === 404) return ': there is no such bucket'
  return code === null ? '' : ` (${code})`
}

const refusals: Readonly<Record<string, string>> = {
  RequestTimeTooSkewed: 'the clock of this machine is wrong by more than 15 minutes',
  SignatureDoesNotMatch: 'AWS_SECRET_ACCESS_KEY or AWS_REGION is wrong',
  InvalidAccessKeyId: 'AWS_ACCESS_KEY_ID is unknown there',
  ExpiredToken: 'AWS_SESSION_TOKEN has expired',
  InvalidToken: 'AWS_SESSION_TOKEN is not valid',
  NoSuchBucket: 'there is no such bucket',
}
