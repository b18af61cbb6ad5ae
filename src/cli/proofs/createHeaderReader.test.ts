import { expect, test } from 'vitest'
import { noBytes, zeroHash, type Hash } from '../../model/hex.ts'
import { unixSeconds } from '../../model/time.ts'
import { createHeaderReader } from './createHeaderReader.ts'

const header = (number: number) => ({
  number,
  hash: `0x${String(number).padStart(64, '0')}` as Hash,
  parentHash: zeroHash,
  timestamp: unixSeconds(1_700_000_000 + number),
  logsBloom: noBytes,
})

test('a header is read once, also by requests at the same time', async () => {
  const asked: (number | Hash)[] = []
  const fetchHeader = (block: number | Hash) => {
    asked.push(block)
    return Promise.resolve(typeof block === 'number' ? header(block) : null)
  }
  const read = createHeaderReader({ fetchers: new Map([[5, { fetchHeader }]]), onFailure: () => undefined })
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
  })
  expect(await read(5, { number: 7 })).toEqual({ kind: 'unreachable' })
  expect(failures).toEqual([[5, new Error('away')]])
  isAway = false
  expect(await read(5, { number: 7 })).toMatchObject({ kind: 'found', block: { number: 7 } })
})

test('beyond the limit of a minute, headers are unreachable and nothing is sent', async () => {
  let sent = 0
  const fetchHeader = (block: number | Hash) => {
    sent++
    return Promise.resolve(header(Number(block)))
  }
  const clock = { nowMs: () => 0 }
  const read = createHeaderReader({
    fetchers: new Map([[5, { fetchHeader }]]),
    onFailure: () => undefined,
    clock,
  })
  for (let number = 0; number < 300; number++) await read(5, { number })
  expect(await read(5, { number: 300 })).toEqual({ kind: 'unreachable' })
  expect(sent).toBe(300)
})
