import { PlaceUnavailableError } from '../errors/placeErrors.ts'
import { ConfigError } from '../errors/configErrors.ts'
import type { Place, WritablePlace } from './place.ts'
import { createFolderPlace } from './folderPlace.ts'
import { createV4Signer } from './signV4.ts'
import { createWebPlace, type WebOptions, type WebPlace } from './webPlace.ts'

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
  base.pathname = [...base.pathname.split('/').filter((part) => part !== ''), bucket, ...folder, ''].join('/')
  const sign = createV4Signer({
    accessKeyId: need('AWS_ACCESS_KEY_ID'),
    secretAccessKey: need('AWS_SECRET_ACCESS_KEY'),
    sessionToken: environment['AWS_SESSION_TOKEN'] ?? null,
    region,
  })
  return bucketOf(createWebPlace(base, `s3://${[bucket, ...folder].join('/')}`, { ...web, sign }))
}

function bucketOf({ name, read, send }: WebPlace): WritablePlace {
  function expectDone(method: 'PUT' | 'DELETE', path: string, { status, ok }: Response): void {
    if (ok || (method === 'DELETE' && status === 404)) return
    const hint =
      status === 403 ? ': the key may not do that' : status === 404 ? ': there is no such bucket' : ''
    throw new PlaceUnavailableError(
      `${path} of ${name} cannot be ${method === 'PUT' ? 'written' : 'deleted'}: the server answers ${status}${hint}`,
    )
  }

  async function measure(path: string, signal: AbortSignal): Promise<number | null> {
    const response = await send('HEAD', path, null, signal)
    const length = response.headers.get('content-length')
    return response.ok && length !== null ? Number(length) : null
  }

  return {
    name,
    read,
    write: async (path, bytes, signal) => expectDone('PUT', path, await send('PUT', path, bytes, signal)),
    create: async (path, bytes, signal) => {
      const response = await send('PUT', path, bytes, signal, { 'if-none-match': '*' })
      if (response.status !== 412) {
        expectDone('PUT', path, response)
        return true
      }
      if ((await measure(path, signal)) !== bytes.length) return false
      const found = await read(path, bytes.length, signal)
      return found !== null && Buffer.compare(found, bytes) === 0
    },
    measure,
    remove: async (path, signal) => expectDone('DELETE', path, await send('DELETE', path, null, signal)),
  }
}
