import type { ReceivedCall } from './scriptedRpcServer.ts'

/** A 32-byte hash that contains its kind and number. */
export function fakeHash(kind: number, number: number): string {
  return `0x${kind.toString(16).padStart(2, '0')}${number.toString(16).padStart(62, '0')}`
}

/** A block of an endless chain with twelve seconds between blocks. `fork` makes another block of the same number. */
export function fakeBlock(number: number, fork = 0): Record<string, unknown> {
  return {
    number: `0x${number.toString(16)}`,
    hash: fakeHash(0xb0 + fork, number),
    parentHash: fakeHash(0xb0, number - 1 + (number === 0 ? 1 : 0)),
    timestamp: `0x${(1_700_000_000 + number * 12).toString(16)}`,
    logsBloom: `0x${'0'.repeat(512)}`,
  }
}

/** Answers `eth_getBlockByNumber` from this chain; null above `head`. */
export function answerBlocks(head: number): (call: ReceivedCall) => unknown {
  return (call) => {
    const number = call.params[0] === 'latest' ? head : Number(call.params[0])
    return number > head ? null : fakeBlock(number)
  }
}

export const fakeAddress = `0x${'ab'.repeat(20)}`
export const fakeTopic = fakeHash(0x70, 1)

/** A log of the chain of `fakeBlock`, with the time of its block. */
export function fakeLog(
  blockNumber: number,
  logIndex: number,
  rest: Record<string, unknown> = {},
): Record<string, unknown> {
  const block = fakeBlock(blockNumber)
  return {
    address: fakeAddress,
    topics: [fakeTopic],
    data: '0x',
    blockNumber: block['number'],
    blockHash: block['hash'],
    blockTimestamp: block['timestamp'],
    transactionHash: fakeHash(0x10, blockNumber),
    transactionIndex: '0x0',
    logIndex: `0x${logIndex.toString(16)}`,
    removed: false,
    ...rest,
  }
}

/** Answers `eth_getLogs` with one log in every block of the range. */
export function answerLogs(call: ReceivedCall): unknown {
  const { fromBlock, toBlock } = readRange(call)
  return Array.from({ length: toBlock - fromBlock + 1 }, (_, i) => fakeLog(fromBlock + i, 0))
}

export function readRange(call: ReceivedCall): { fromBlock: number; toBlock: number } {
  const [filter] = call.params
  if (typeof filter !== 'object' || filter === null || !('fromBlock' in filter) || !('toBlock' in filter)) {
    throw new TypeError('no filter')
  }
  return { fromBlock: Number(filter.fromBlock), toBlock: Number(filter.toBlock) }
}
