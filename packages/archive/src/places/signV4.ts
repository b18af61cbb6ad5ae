import { createHmac, hash } from 'node:crypto'
import type { SignRequest } from './webPlace.ts'

/** A key of a bucket, and where requests are signed for. */
export interface BucketKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  readonly region: string
}

/**
 * Signs requests to S3 with all their headers by Signature Version 4 of AWS, in a header
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
 */
export function createV4Signer(key: BucketKey, now: () => Date = () => new Date()): SignRequest {
  return ({ method, url, body, headers: given }) => {
    const time = now()
      .toISOString()
      .replaceAll(/[-:]|\.\d{3}/g, '')
    const bodyHash = hash('sha256', body ?? '')
    const headers: Record<string, string> = {
      'x-amz-content-sha256': bodyHash,
      'x-amz-date': time,
      ...(key.sessionToken === null ? {} : { 'x-amz-security-token': key.sessionToken }),
    }
    const signed = Object.entries({ host: url.host, ...given, ...headers }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    )
    const names = signed.map(([name]) => name).join(';')
    const canonical = [
      method,
      url.pathname,
      canonicalQuery(url),
      ...signed.map(([name, value]) => `${name}:${value}`),
      '',
      names,
      bodyHash,
    ].join('\n')
    const scope = `${time.slice(0, 8)}/${key.region}/s3/aws4_request`
    const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n')
    const signature = hmac(deriveKey(key, time.slice(0, 8)), text).toString('hex')
    return {
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    }
  }
}

/** The parameters in the order of their names, with all but unreserved characters encoded. */
function canonicalQuery({ searchParams }: URL): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
}

function deriveKey({ secretAccessKey, region }: BucketKey, day: string): Buffer {
  return [day, region, 's3', 'aws4_request'].reduce<Buffer>(
    (key, part) => hmac(key, part),
    Buffer.from(`AWS4${secretAccessKey}`),
  )
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
