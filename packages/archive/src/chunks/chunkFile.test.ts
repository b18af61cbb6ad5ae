import { hash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import { openChunk } from './chunkFile.ts'
import type { Chunk } from './manifest.ts'

/** Opens a chunk whose manifest tells the truth of its file. */
function open(text: string | Uint8Array, claims: Partial<Chunk> = {}) {
  const bytes = Buffer.from(text)
  const file = zstdCompressSync(bytes)
  const chunk: Chunk = {
    path: 'a.zst',
    fromBlock: 7,
    toBlock: 9,
    events: Number.MAX_SAFE_INTEGER,
    digest: `0x${'0'.repeat(64)}`,
    sha256: hash('sha256', file),
    bytes: file.length,
    textBytes: bytes.length,
    ...claims,
  }
  return openChunk(file, chunk, 5, 0, (events) => events)
}

const anchor = (block: number, reason: string) =>
  `${JSON.stringify({
    type: 'anchor',
    chainId: '5',
    blockNumber: block,
    eventIndex: 0,
    protocol: 'eas',
    anchor: 'Timestamped',
    account: null,
    timestamp: 1,
    transactionHash: `0x${'1'.repeat(64)}`,
    value: '0x',
    reason,
  })}\n`

describe('a chunk that a publisher made to take the memory of its readers is refused:', () => {
  test('line ends', () => {
    const text = Buffer.alloc(2 ** 24, '\n')
    expect(() => open(text)).toThrow(/cannot be read: line 1 is no JSON: .*block that may differ is 7/)
  })

  test.each([
    ['nested lists', '['.repeat(2 ** 20)],
    ['empty objects', `[${'{},'.repeat(2 ** 19)}{}]`],
    ['numbers', `[${'0,'.repeat(2 ** 20)}0]`],
  ])('%s', (_, line) => {
    expect(() => open(`${line}\n`)).toThrow('more than 8 levels or 1000000 values')
  })

  test('more events than its manifest has', () => {
    expect(() => open(anchor(7, '') + anchor(8, ''), { events: 1 })).toThrow('has more than the 1 events')
  })

  test('blocks behind more text than a publisher puts before the last one', () => {
    const long = 'a'.repeat(64 * 2 ** 20)
    expect(() => open(anchor(7, long) + anchor(8, ''))).toThrow('of text before its last block')
  })

  test('a number of a million digits, and text that is no UTF-8', () => {
    expect(() => open(`{"type":"anchor","blockNumber":${'9'.repeat(2 ** 20)}}\n`)).toThrow(ChunksRefusedError)
    expect(() => open(Uint8Array.of(0xff, 0x0a))).toThrow('is no UTF-8 text')
  })
})
