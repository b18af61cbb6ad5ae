import type { Hex } from '../model/hex.ts'
import type { ContractRead, ReadResult } from '../protocols/protocolAdapter.ts'

/**
 * Calldata of Multicall3's `aggregate3((address target, bool allowFailure, bytes callData)[])` with `allowFailure` set
 * for all. Written by hand: the ABI coder of a library takes about a hundred times as long.
 */
export function encodeAggregate3(reads: readonly ContractRead[]): Hex {
  const heads: string[] = []
  // Few large pieces: a string concatenated from many small ones is slow to read.
  const tails: string[] = []
  let offset = reads.length * 32
  let before = ''
  let prefixOf = ''
  for (const { to, data } of reads) {
    const bytes = (data.length - 2) / 2
    const paddedBytes = Math.ceil(bytes / 32) * 32
    heads.push(word(offset))
    // Most reads have the same contract and length.
    const kind = `${to} ${bytes}`
    if (kind !== prefixOf) {
      prefixOf = kind
      before = `${to.slice(2).padStart(64, '0')}${trueWord}${callDataOffset}${word(bytes)}`
    }
    tails.push(before, data.slice(2).padEnd(paddedBytes * 2, '0'))
    offset += 4 * 32 + paddedBytes
  }
  // All parts are pairs of hexadecimal digits: addresses and calldata were checked on entry.
  return ['0x', aggregate3Selector, word(32), word(reads.length), ...heads, ...tails].join('') as Hex
}

/**
 * Decodes the result of `aggregate3`, `(bool success, bytes returnData)[]`, in the order of the reads; null if `data`
 * is not the result of `count` reads.
 */
export function decodeAggregate3(data: Hex, count: number): ReadResult[] | null {
  const arrayAt = readWord(data, 0)
  if (arrayAt === null || readWord(data, arrayAt) !== count) return null
  const headsAt = arrayAt + 32
  const results: ReadResult[] = []
  for (let i = 0; i < count; i++) {
    const offset = readWord(data, headsAt + i * 32)
    if (offset === null) return null
    const tupleAt = headsAt + offset
    const success = readWord(data, tupleAt)
    const bytesOffset = readWord(data, tupleAt + 32)
    if (success === null || success > 1 || bytesOffset === null) return null
    const length = readWord(data, tupleAt + bytesOffset)
    if (length === null) return null
    const start = 2 + (tupleAt + bytesOffset + 32) * 2
    const end = start + length * 2
    if (end > data.length) return null
    const returned = `0x${data.slice(start, end)}` as Hex
    results.push(success === 1 ? { kind: 'returned', data: returned } : { kind: 'reverted', data: returned })
  }
  return results
}

const aggregate3Selector = '82ad56cb'
const trueWord = word(1)
/** Target, flag and this offset stand before the calldata of each tuple. */
const callDataOffset = word(96)

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}

/**
 * The word at a byte offset as a number; null when it lies outside the data or is too large for any offset or length.
 */
function readWord(data: Hex, byteOffset: number): number | null {
  const start = 2 + byteOffset * 2
  if (start + 64 > data.length) return null
  for (let i = start; i < start + 52; i++) if (data.charCodeAt(i) !== 48) return null
  return Number.parseInt(data.slice(start + 52, start + 64), 16)
}
