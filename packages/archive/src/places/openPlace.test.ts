import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findFreePort } from '@attestry/test/harness/postgresServer.ts'
import { PlaceUnavailableError } from '@attestry/core/errors/placeErrors.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { openPlace, openWritablePlace } from './openPlace.ts'
import { startBucket } from './testing/startBucket.ts'
import { pauseBefore } from './webPlace.ts'

const signal = new AbortController().signal
const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 251))
const patient = { pauseMs: 1, silenceMaxMs: 600_000 }

type Answer = (request: IncomingMessage, response: ServerResponse, attempt: number) => void

/** Runs a test against a server at a URL, which counts its requests. */
async function withServer(
  answer: Answer,
  run: (url: string, ranges: readonly (string | undefined)[]) => Promise<void>,
) {
  const ranges: (string | undefined)[] = []
  const server = createServer((request, response) => {
    ranges.push(request.headers.range)
    answer(request, response, ranges.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}/chunks`, ranges)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const read = (url: string, bytesMax = bytes.length, options = patient) =>
  openPlace(url, 'The option --from', {}, options).read('5/a.zst', bytesMax, signal)

/** Sends a part of the file and then ends the connection, so that the part arrives. */
function breakOff(response: ServerResponse, from: number, to: number, status: number): void {
  const headers = {
    'content-length': bytes.length - from,
    'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
  }
  response.writeHead(status, headers)
  response.write(bytes.subarray(from, to), () => response.socket?.end())
}

describe('a file of a server', () => {
  test('that breaks off is resumed where it stopped', async () => {
    const answer: Answer = ({ headers: { range } }, response, attempt) => {
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
      if (attempt < 4) return breakOff(response, from, from + 30_000, from === 0 ? 200 : 206)
      response
        .writeHead(206, { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` })
        .end(bytes.subarray(from))
    }
    await withServer(answer, async (url, ranges) => {
      expect(Buffer.compare((await read(url)) ?? Buffer.of(), bytes)).toBe(0)
      expect(ranges).toEqual([undefined, 'bytes=30000-', 'bytes=60000-', 'bytes=90000-'])
    })
  })

  test.each(['knows if-range', 'does not know if-range'])(
    'that changes meanwhile begins anew with a server that %s',
    async (server) => {
      const older = Buffer.alloc(bytes.length, 1)
      const tags: unknown[] = []
      const answer: Answer = ({ headers }, response, attempt) => {
        tags.push(headers['if-range'])
        const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
        if (attempt === 1) {
          response.writeHead(200, { 'content-length': older.length, etag: '"old"' })
          return void response.write(older.subarray(0, 30_000), () => response.socket?.end())
        }
        const isRefused = server === 'knows if-range' && headers['if-range'] === '"old"'
        if (from === 0 || isRefused) return void response.writeHead(200, { etag: '"new"' }).end(bytes)
        response
          .writeHead(206, {
            'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
            etag: '"new"',
          })
          .end(bytes.subarray(from))
      }
      await withServer(answer, async (url) => {
        expect(Buffer.compare((await read(url)) ?? Buffer.of(), bytes)).toBe(0)
        expect(tags.slice(0, 2)).toEqual([undefined, '"old"'])
      })
    },
  )

  test('begins anew with a server that knows no ranges, or answers another one', async () => {
    const answer: Answer = (_, response, attempt) => {
      if (attempt === 1) return breakOff(response, 0, 30_000, 200)
      if (attempt === 2)
        return void response.writeHead(206, { 'content-range': 'bytes 5-9/100' }).end('wrong')
      if (attempt === 3) return breakOff(response, 0, 30_000, 200)
      response.writeHead(200).end(bytes)
    }
    await withServer(answer, async (url) => {
      expect(Buffer.compare((await read(url)) ?? Buffer.of(), bytes)).toBe(0)
    })
  })

  test('that always breaks off is given up after five attempts', async () => {
    await withServer(
      (_, response) => breakOff(response, 0, 10, 200),
      async (url, ranges) => {
        await expect(read(url)).rejects.toThrow(
          /^5\/a\.zst of 127\.0\.0\.1:\d+ cannot be had: the connection breaks off, 5 times$/,
        )
        expect(ranges.length).toBe(5)
      },
    )
  })

  test.each<readonly [string, Answer, RegExp]>([
    [
      'falls silent',
      (_, response) => void response.writeHead(200).write('abc'),
      /the server falls silent, or is too slow, after 3 bytes, 5 times$/,
    ],
    ['is busy', (_, response) => void response.writeHead(503).end(), /the server answers 503, 5 times$/],
    ['refuses', (_, response) => void response.writeHead(403).end(), /the server answers 403$/],
    [
      'redirects',
      (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      /a redirect, which is not followed/,
    ],
    [
      'sends more than was asked for',
      (_, response) => void response.writeHead(200).end(Buffer.alloc(200_000)),
      /is longer than the 100000 bytes that it may have$/,
    ],
  ])('of a server that %s is an error', async (name, answer, sentence) => {
    const silenceMaxMs = name === 'falls silent' ? 200 : patient.silenceMaxMs
    await withServer(answer, async (url) => {
      const error = await read(url, bytes.length, { ...patient, silenceMaxMs }).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(PlaceUnavailableError)
      expect((error as Error).message).toMatch(sentence)
    })
  })

  test('is null on a 404, even if the body of the page does not end', async () => {
    const closed = Promise.withResolvers<void>()
    await withServer(
      (_, response) => {
        response.once('close', closed.resolve)
        response.writeHead(404).write('<h1>Not found</h1>')
      },
      async (url) => {
        expect(await read(url)).toBeNull()
        await closed.promise
      },
    )
  })

  test('of an unreachable server is an error without the password of its URL', async () => {
    const host = `127.0.0.1:${await findFreePort()}`
    const error = await read(`http://user:hunter2@${host}/`).catch((thrown: unknown) => thrown)
    expect((error as Error).message).toBe(`5/a.zst of ${host} cannot be had: nobody listens there, 5 times`)
  })
})

test('a bucket takes files, gives them back and deletes them, by signed requests', async () => {
  const bucket = await startBucket()
  try {
    const { files, environment } = bucket
    const place = openWritablePlace('s3://bucket/some/folder', 'The option --to', environment, patient)
    await place.write('5/0-9-ab.ndjson.zst', bytes, signal)
    expect([...files.keys()]).toEqual(['/bucket/some/folder/5/0-9-ab.ndjson.zst'])
    expect(await place.measure('5/0-9-ab.ndjson.zst', signal)).toBe(bytes.length)
    expect(
      Buffer.compare((await place.read('5/0-9-ab.ndjson.zst', bytes.length, signal)) ?? Buffer.of(), bytes),
    ).toBe(0)
    expect(await place.create('5/0-9-ab.ndjson.zst', bytes.subarray(1), signal)).toBe(false)
    expect(await place.create('5/0-9-ab.ndjson.zst', bytes, signal)).toBe(true)
    await place.remove('5/0-9-ab.ndjson.zst', signal)
    expect(await place.measure('5/0-9-ab.ndjson.zst', signal)).toBeNull()
    expect(await place.create('5/0-9-ab.ndjson.zst', bytes, signal)).toBe(true)
    await place.remove('5/0-9-ab.ndjson.zst', signal)
    expect(await place.read('5/0-9-ab.ndjson.zst', bytes.length, signal)).toBeNull()
    const stranger = openWritablePlace(
      's3://bucket',
      'The option --to',
      { ...environment, AWS_SECRET_ACCESS_KEY: 'other' },
      patient,
    )
    await expect(stranger.write('a', bytes, signal)).rejects.toThrow(
      'a of s3://bucket cannot be written: the server answers 403: the key may not do that',
    )
  } finally {
    await bucket.close()
  }
})

describe('a bucket', () => {
  test('lists the files of a folder, page by page', async () => {
    const bucket = await startBucket()
    try {
      const place = openWritablePlace('s3://bucket/some', 'The option --to', bucket.environment, patient)
      for (const path of ['t/data/1', 't/data/2', 't/data/3', 't/metadata/4', 't/data/5']) {
        await place.write(path, bytes.subarray(0, 9), signal)
      }
      expect(await place.list?.('t/data', signal)).toEqual(['1', '2', '3', '5'])
      expect(await place.list?.('u/data', signal)).toEqual([])
      bucket.failures.push({ status: 403, code: 'AccessDenied' })
      expect(await place.list?.('t/data', signal)).toBe(null)
    } finally {
      await bucket.close()
    }
  })

  test.each([
    { status: 409, code: 'ConditionalRequestConflict' },
    { status: 503, code: 'SlowDown' },
    { status: 500, code: 'InternalError' },
    { status: 400, code: 'RequestTimeout' },
  ])('that answers $status $code is asked again', async (failure) => {
    const bucket = await startBucket()
    try {
      const place = openWritablePlace('s3://bucket', 'The option --to', bucket.environment, patient)
      bucket.failures.push(failure, failure)
      expect(await place.create('a', bytes, signal)).toBe(true)
      expect(bucket.files.size).toBe(1)
      bucket.failures.push(...Array.from({ length: 5 }, () => failure))
      await expect(place.write('a', bytes, signal)).rejects.toThrow(', 5 times')
    } finally {
      await bucket.close()
    }
  })

  test.each([
    [
      { status: 501, code: 'NotImplemented' },
      'answers 501, since it lacks conditional writes (If-None-Match)',
    ],
    [
      { status: 400, code: 'NotImplemented' },
      'answers 400, since it lacks conditional writes (If-None-Match)',
    ],
    [
      { status: 301, headers: { 'x-amz-bucket-region': 'eu-west-1' } },
      'the bucket is in the region eu-west-1; set AWS_REGION to that',
    ],
    [
      { status: 400, code: 'AuthorizationHeaderMalformed', headers: { 'x-amz-bucket-region': 'eu-west-1' } },
      'the bucket is in the region eu-west-1; set AWS_REGION to that',
    ],
    [
      { status: 403, code: 'RequestTimeTooSkewed' },
      '403: the clock of this machine is wrong by more than 15 minutes',
    ],
    [{ status: 403, code: 'SignatureDoesNotMatch' }, '403: AWS_SECRET_ACCESS_KEY or AWS_REGION is wrong'],
    [{ status: 403, code: 'AccessDenied' }, '403: the key may not do that'],
    [{ status: 404, code: 'NoSuchBucket' }, '404: there is no such bucket'],
    [{ status: 413, code: 'EntityTooLarge' }, '413 (EntityTooLarge)'],
  ])('that answers $0 says what would mend it', async (failure, sentence) => {
    const bucket = await startBucket()
    try {
      const place = openWritablePlace('s3://bucket', 'The option --to', bucket.environment, patient)
      bucket.failures.push(failure)
      await expect(place.create('a', bytes, signal)).rejects.toThrow(sentence)
    } finally {
      await bucket.close()
    }
  })

  test('that refuses to say whether it has a file does not seem to lack the file', async () => {
    const bucket = await startBucket()
    try {
      const place = openWritablePlace('s3://bucket', 'The option --to', bucket.environment, patient)
      bucket.failures.push({ status: 403 })
      await expect(place.measure('a', signal)).rejects.toThrow('a of s3://bucket cannot be read')
    } finally {
      await bucket.close()
    }
  })
})

describe('a folder', () => {
  test('gets whole files, and loses what a killed publisher left unfinished', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'attestry-place-'))
    try {
      const place = openWritablePlace(join(folder, 'deep'), 'The option --to', {})
      expect(await place.read('manifest.json', 10, signal)).toBeNull()
      await place.write('5/a.zst', bytes, signal)
      writeFileSync(join(folder, 'deep/5/b.zst.2147483647.part'), 'x')
      const ofRunning = `d.zst.${process.ppid}.part`
      writeFileSync(join(folder, 'deep/5', ofRunning), 'x')
      await place.write('5/c.zst', bytes, signal)
      expect(readdirSync(join(folder, 'deep/5')).sort()).toEqual(['a.zst', 'c.zst', ofRunning])
      await expect(place.read('5/a.zst', 10, signal)).rejects.toThrow(
        'is longer than the 10 bytes that it may have',
      )
      await place.remove('5/a.zst', signal)
      expect(await place.measure('5/a.zst', signal)).toBeNull()
      expect(await place.create('5/a.zst', bytes, signal)).toBe(true)
      expect(await place.create('5/a.zst', bytes.subarray(1), signal)).toBe(false)
      expect(await place.create('5/a.zst', bytes, signal)).toBe(true)
      expect(readdirSync(join(folder, 'deep/5')).sort()).toEqual(['a.zst', 'c.zst', ofRunning])
      writeFileSync(join(folder, 'file'), '')
      await expect(
        openWritablePlace(join(folder, 'file'), '', {}).write('5/a', bytes, signal),
      ).rejects.toThrow('cannot be written: a part of its path is a file')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

test.each<readonly [string, Record<string, string>, RegExp]>([
  ['ftp://host/x', {}, /^The option --to must be a folder or s3:\/\/BUCKET\/PREFIX, but is a URL of ftp$/],
  ['https://user:hunter2@host/x', {}, /^The option --to must be a folder or .*, but is a URL of https$/],
  ['', {}, /but is empty$/],
  ['s3://Bad_Bucket/x', {}, /must be s3:\/\/BUCKET or s3:\/\/BUCKET\/PREFIX/],
  ['s3://bucket/x', {}, /^The environment variable AWS_ACCESS_KEY_ID is missing/],
  [
    's3://bucket',
    { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: 'nowhere' },
    /AWS_ENDPOINT_URL is no URL$/,
  ],
])('%s is no place to publish to', (text, environment, sentence) => {
  expect(() => openWritablePlace(text, 'The option --to', environment)).toThrow(ConfigError)
  expect(() => openWritablePlace(text, 'The option --to', environment)).toThrow(sentence)
})

test('a pause is as long as the server asks for, up to a minute', () => {
  expect([0, 700, 5_000, 86_400_000].map((askedMs) => pauseBefore(1, 500, askedMs))).toEqual([
    500, 700, 5_000, 60_000,
  ])
  expect(pauseBefore(4, 500, 700)).toBe(4_000)
})
