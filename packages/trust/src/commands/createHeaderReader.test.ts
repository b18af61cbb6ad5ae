import { expect, test } from 'vitest'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { runAs } from '@attestry/core/shares/askers.ts'
import { noBytes, zeroHash, type Hash } from '@attestry/core/model/hex.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { createHeaderReader } from './createHeaderReader.ts'

const header = (number: number) => ({
  number,
  hash: `0x${String(number).padStart(64, '0')}` as Hash,
  parentHash: zeroHash,
  timestamp: unixSeconds(1_700_000_000 + number),
  logsBloom: noBytes,
  isHashed: true,
  isDisputed: false,
})
const onUnhashed = () => undefined

test('a header is read once, also by requests at the same time', async () => {
  const asked: (number | Hash)[] = []
  const fetchHeader = (block: number | Hash) => {
    asked.push(block)
    return Promise.resolve(typeof block === 'number' ? header(block) : null)
  }
  const read = createHeaderReader({
    fetchers: new Map([[5, { fetchHeader }]]),
    onFailure: () => undefined,
    onUnhashed,
  })
  const { number, hash, timestamp } = header(7)
  const found = { kind: 'found', block: { number, hash, timestamp } }
  expect(await Promise.all([read(5, { number: 7 }), read(5, { number: 7 })])).toEqual([found, found])
  expect(await read(5, { number: 7 })).toEqual(found)
  expect(await read(5, { hash: zeroHash })).toEqual({ kind: 'none' })
  expect(await read(1, { number: 7 })).toEqual({ kind: 'unreachable' })
  expect(asked).toEqual([7, zeroHash])
})

test('a header that no endpoint gives is unreachable until it is asked for again', async () => {
  const failures: unknown[] = []
  let isAway = true
  const fetchHeader = (block: number | Hash) =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(header(Number(block)))
  const read = createHeaderReader({
    fetchers: new Map([[5, { fetchHeader }]]),
    onFailure: (chainId, error) => failures.push([chainId, error]),
    onUnhashed,
  })
  expect(await read(5, { number: 7 })).toEqual({ kind: 'unreachable' })
  expect(failures).toEqual([[5, new Error('away')]])
  isAway = false
  expect(await read(5, { number: 7 })).toMatchObject({ kind: 'found', block: { number: 7 } })
})

/** Headers that are there at once, read on behalf of clients at one moment. */
function openHeaders() {
  const sent: number[] = []
  const read = createHeaderReader({
    fetchers: new Map([
      [5, { fetchHeader: (block) => (sent.push(Number(block)), Promise.resolve(header(Number(block)))) }],
    ]),
    onFailure: () => undefined,
    onUnhashed,
    clock: { nowMs: () => 0 },
  })
  let number = 0
  const readNext = (name: string) => runAs({ name, hasKey: false }, () => read(5, { number: number++ }))
  return { sent, readNext }
}

test('a client that has used its share is sent away, nothing is sent for it, and others are answered', async () => {
  const { sent, readNext } = openHeaders()
  const refusal = async () => {
    for (;;) await readNext('1.1.1.1')
  }
  await expect(refusal()).rejects.toMatchObject({ statusCode: 503, retryAfterSeconds: 1 })
  const ofOne = sent.length
  expect(ofOne).toBeLessThan(150)
  await expect(readNext('1.1.1.1')).rejects.toBeInstanceOf(OverloadedError)
  expect(sent).toHaveLength(ofOne)
  expect(await readNext('2.2.2.2')).toMatchObject({ kind: 'found' })
})

/** A reader of one header, with the number of requests and the lines of the log. */
function openHeader(changes: Partial<ReturnType<typeof header>>) {
  const failures: string[] = []
  let asked = 0
  const fetchHeader = (block: number | Hash) => {
    asked += 1
    return Promise.resolve({ ...header(Number(block)), ...changes })
  }
  const read = createHeaderReader({
    fetchers: new Map([[5, { fetchHeader }]]),
    onFailure: (_chainId, error) => failures.push(String(error)),
    onUnhashed,
  })
  return { read, failures, asked: () => asked }
}

test('a time that is not between those of the indexed blocks before and after is refused', async () => {
  const { read, failures } = openHeader({})
  const time = header(7).timestamp
  for (const times of [
    { from: unixSeconds(time + 1), to: null },
    { from: null, to: unixSeconds(time - 1) },
  ]) {
    const found = await read(5, { number: 7 }, times)
    expect(found).toMatchObject({ kind: 'disputed', reason: expect.stringContaining('not between') })
  }
  expect(failures).toHaveLength(2)
  expect(await read(5, { number: 7 }, { from: time, to: time })).toMatchObject({ kind: 'found' })
})

test('a header that an endpoint contradicts is logged, and not kept', async () => {
  const { read, failures, asked } = openHeader({ isDisputed: true })
  for (let time = 1; time <= 2; time++) {
    expect(await read(5, { number: 7 })).toMatchObject({ kind: 'found' })
    expect([asked(), failures.length]).toEqual([time, time])
  }
})
