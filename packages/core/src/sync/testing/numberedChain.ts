import { answerNumbered, numberedLog } from '@attestry/test/harness/numberedRecords.ts'
import type { BlockHeader, ChainClient } from '../../chain/chainClient.ts'
import { blockNumbers } from '../../model/chainState.ts'
import { zeroHash, type Hash, type Hex } from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { ChainLog } from '../../protocols/protocolAdapter.ts'

/** A chain over one endpoint, which a test changes between requests. */
export interface NumberedChain {
  readonly client: ChainClient
  head: number
  /** The blocks from here on are those of another branch. */
  forkedFrom: number
  /** The blocks of the contract's attestations, by number. */
  madeIn: readonly number[]
  /** Attestations of this block have no log. */
  loglessBlock: number | null
  /** Called with the name of each request before its answer; what it throws is the answer. */
  onRequest: (request: string) => void
  headerOf(number: number): BlockHeader
}

/** A bloom that is not empty and excludes the logs of the contract. */
const foreignBloom = `0x${'1'.padStart(512, '0')}` as Hex

/** The blocks of this chain share their time by twos. */
export function createNumberedChain(): NumberedChain {
  const state = { head: 0, forkedFrom: Infinity, madeIn: [], loglessBlock: null }
  const chain: NumberedChain = { ...state, client: {} as ChainClient, onRequest: () => undefined, headerOf }
  const request = <Result>(name: string, answer: () => Result) =>
    Promise.try(() => {
      chain.onRequest(name)
      return answer()
    })
  const client: Partial<ChainClient> = {
    isAlone: () => {
      chain.onRequest('isAlone')
      return true
    },
    logRangeBlocks: () => 40,
    headSource: () => 'polling',
    fetchHead: () => request('head', () => headerOf(chain.head)),
    awaitHead: () => request('rest', () => false),
    fetchHeaders: (from, to) => request('headers', () => blockNumbers(from, to).map(headerOf)),
    fetchHeadersOf: (numbers) => request('headers', () => numbers.map(headerOf)),
    fetchAgreedHeader: (number) => request(`agreed ${number}`, () => headerOf(number)),
    fetchLogs: ({ fromBlock, toBlock }) => request('logs', () => logsIn(fromBlock, toBlock)),
    fetchCheckedLogs: (headers) =>
      request('logs', () => headers.flatMap(({ number }) => logsIn(number, number))),
    fetchLogsAgain: (blocks) =>
      request('again', () => [{ host: 'one', logs: blocks.flatMap(({ number }) => logsIn(number, number)) }]),
    fetchLogsEverywhere: ({ number }) =>
      request('everywhere', () => [{ host: 'one', logs: logsIn(number, number) }]),
    findLog: ({ fromBlock, toBlock }, matches) =>
      request('search', () => ({ log: logsIn(fromBlock, toBlock).find(matches) ?? null, unanswered: [] })),
    proveLog: () => Promise.resolve([]),
    noteOmission: () => undefined,
    sampleLogs: () => Promise.resolve({ answers: [], requests: 1 }),
    distrustLogs: () => undefined,
    takeLogDoubts: () => ({ fromBlock: null, unsettled: [] }),
    readContracts: (reads, at) =>
      request('reads', () => {
        const state = at.kind === 'latest' ? chain.head : Number(at.hash.slice(3))
        const made = chain.madeIn.filter((block) => block <= state).map((block) => headerOf(block).timestamp)
        return reads.map((read) => answerNumbered({ schema: [], attestation: made }, read))
      }),
  }
  return Object.assign(chain, { client })

  function headerOf(number: number): BlockHeader {
    const hashOf = (block: number) =>
      `0x${block < chain.forkedFrom ? 'a' : 'b'}${String(block).padStart(63, '0')}` as Hash
    const timestamp = unixSeconds(Math.floor(number / 2) * 10)
    return {
      number,
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      timestamp,
      logsBloom: foreignBloom,
    }
  }

  function logsIn(fromBlock: number, toBlock: number): readonly ChainLog[] {
    return chain.madeIn.flatMap((blockNumber, record) => {
      if (blockNumber < fromBlock || blockNumber > toBlock || blockNumber === chain.loglessBlock) return []
      const { hash: blockHash, timestamp: blockTimestamp } = headerOf(blockNumber)
      const place = { blockNumber, position: eventPosition(blockNumber, record) }
      const block = { blockHash, blockTimestamp, transactionHash: zeroHash }
      return [{ ...numberedLog('attestation', record), ...place, ...block }]
    })
  }
}
