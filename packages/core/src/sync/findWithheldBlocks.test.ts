import { expect, test } from 'vitest'
import type { BlockHeader, LogFilter } from '../chain/chainClient.ts'
import { RpcRefusedError } from '../errors/rpcErrors.ts'
import { zeroHash, type Address, type Hex } from '../model/hex.ts'
import { unixSeconds } from '../model/time.ts'
import { makeBloom } from '@attestry/trust/proofs/testing/makeBloom.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { EventSource } from './fetchEvents.ts'
import { createLogWitness } from './findWithheldBlocks.ts'

const address = `0x${'ab'.repeat(20)}` as Address
const topic = `0x${'cd'.repeat(32)}` as Hex
const own = makeBloom([address, topic])
const foreignAddress = `0x${'12'.repeat(20)}` as Address
const foreign = makeBloom([foreignAddress])
const empty = `0x${'0'.repeat(512)}`

/** The first block of the contract. */
const startBlock = 7
const head = 1_000

test('a block may have a log that no endpoint returned only if its bloom matches', async () => {
  expect(await findWithheld({ 10: own, 11: foreign, 12: empty, [head]: foreign }, [10, 11, 12])).toEqual([10])
})

test('a bloom that matches by chance is that of all logs of the block', async () => {
  const blooms = { 10: makeBloom([address, foreignAddress, topic]) }
  const others = [
    { address, topics: [] },
    { address: foreignAddress, topics: [topic] },
  ]
  expect(await findWithheld(blooms, [10], { logs: others })).toEqual([])
  expect(await findWithheld(blooms, [10], { logs: others.slice(1) })).toEqual([10])
  expect(await findWithheld(blooms, [10], { logs: [...others, { address, topics: [topic] }] })).toEqual([10])
  expect(await findWithheld(blooms, [10], { logs: new RpcRefusedError('no') })).toEqual([10])
  const early = { [startBlock - 1]: blooms[10] }
  expect(
    await findWithheld(early, [startBlock - 1], { logs: [...others, { address, topics: [topic] }] }),
  ).toEqual([])
  await expect(findWithheld(blooms, [10], { logs: new TypeError('broken') })).rejects.toThrow('broken')
})

test('if the newest blocks have no log, an older block with a log shows that the chain has blooms', async () => {
  expect(await findWithheld({ 9: own, 12: empty }, [12], { loggedBlock: 9 })).toEqual([])
})

test('a missing bloom proves nothing, even beside blocks that have one', async () => {
  expect(await findWithheld({ 12: null, [head]: foreign }, [12])).toEqual([12])
})

test('empty blooms prove nothing where blocks with logs have them too, or no log is known', async () => {
  expect(await findWithheld({}, [12], { loggedBlock: 9 })).toEqual([12])
  expect(await findWithheld({}, [12])).toEqual([12])
})

interface Chain {
  /** The oldest block with a log of the source. */
  readonly loggedBlock?: number
  /** The endpoints that do not answer the search for that log. */
  readonly unanswered?: readonly string[]
  /** The answer of an endpoint to a request for all logs of a block. */
  readonly logs?: readonly Pick<ChainLog, 'address' | 'topics'>[] | Error
}

test('an endpoint that may have the first log is waited for', async () => {
  await expect(findWithheld({}, [12], { unanswered: ['away.example'] })).rejects.toMatchObject({
    message: expect.stringContaining('waiting for away.example') as string,
    retryable: true,
  })
})

/** `blooms`: those of blocks whose bloom is not empty; null if the endpoint sends none. */
async function findWithheld(
  blooms: Readonly<Record<number, string | null>>,
  blocks: readonly number[],
  { loggedBlock, logs = [], unanswered = [] }: Chain = {},
): Promise<readonly number[]> {
  const headerOf = (number: number): BlockHeader => ({
    number,
    hash: zeroHash,
    parentHash: zeroHash,
    timestamp: unixSeconds(number),
    logsBloom: (blooms[number] === undefined ? empty : blooms[number]) as Hex | null,
  })
  const client = {
    fetchHeaders: async (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => headerOf(from + index)),
    fetchLogs: async (filter: LogFilter) => {
      expect([filter.addresses, filter.topics]).toEqual([[], []])
      if (logs instanceof Error) throw logs
      return logs.map((log) => ({ ...log, blockNumber: filter.fromBlock }))
    },
    findLog: async (filter: Readonly<Record<string, unknown>>) => {
      expect(filter).toEqual({ addresses: [address], topics: [topic], fromBlock: startBlock, toBlock: head })
      return { log: loggedBlock === undefined ? null : { blockNumber: loggedBlock }, unanswered }
    },
  }
  const source = {
    client,
    addresses: [address],
    topics: [topic],
    deploymentsByAddress: new Map([[address, { deployment: { startBlock } }]]),
  } as unknown as EventSource
  const witness = createLogWitness(source, headerOf(head))
  return [...(await witness.findWithheld(blocks, new AbortController().signal))]
}
