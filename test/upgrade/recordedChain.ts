import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { rpcError, startScriptedRpcServer, type ScriptedRpcServer } from '../harness/scriptedRpcServer.ts'
import { emptyBloom, encodeLogsBloom } from '../simulator/logsBloom.ts'

/**
 * A recorded chain that never changes. The databases of earlier layouts were made from it; the simulator may make
 * another chain of the same seed today.
 */
export interface RecordedChain {
  readonly chainId: number
  readonly contracts: { readonly sign: string; readonly eas: string; readonly schemaRegistry: string }
  /** Starts with block 0. */
  readonly blocks: readonly RecordedBlock[]
  /** Answers of view calls, by contract and calldata. */
  readonly calls: Readonly<Record<string, readonly RecordedAnswer[]>>
}

export interface RecordedBlock {
  readonly hash: string
  readonly timestamp: number
  readonly logs: readonly RecordedLog[]
}

export interface RecordedLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: number
  readonly transactionHash: string
}

/** The answer of a call from the state of `fromBlock` on, until the next answer. */
export interface RecordedAnswer {
  readonly fromBlock: number
  readonly success: boolean
  readonly data: string
}

const path = new URL('chain.json.br', import.meta.url)

export function loadRecordedChain(): RecordedChain {
  return JSON.parse(brotliDecompressSync(readFileSync(path)).toString()) as RecordedChain
}

export function saveRecordedChain(chain: RecordedChain): void {
  writeFileSync(path, brotliCompressSync(JSON.stringify(chain)))
}

/** Serves the blocks of a chain up to `head`. */
export async function serveRecordedChain(
  { chainId, blocks, calls }: RecordedChain,
  head: number,
): Promise<ScriptedRpcServer> {
  const numbers = new Map(blocks.slice(0, head + 1).map(({ hash }, number) => [hash, number]))
  const blockJson = (number: number) => {
    const block = number > head ? undefined : blocks[number]
    if (block === undefined) return null
    return {
      number: quantity(number),
      hash: block.hash,
      parentHash: blocks[number - 1]?.hash ?? `0x${'0'.repeat(64)}`,
      timestamp: quantity(block.timestamp),
      logsBloom: block.logs.length === 0 ? emptyBloom : encodeLogsBloom(block.logs),
    }
  }
  const numberOf = (tag: unknown): number | null => {
    if (tag === 'latest' || tag === undefined) return head
    if (typeof tag === 'string') return Number(tag)
    return numbers.get((tag as { blockHash: string }).blockHash) ?? null
  }
  return startScriptedRpcServer(chainId, {
    eth_blockNumber: () => quantity(head),
    eth_getBlockByNumber: ({ params: [tag] }) => blockJson(numberOf(tag) ?? head + 1),
    eth_getBlockByHash: ({ params: [hash] }) => blockJson(numbers.get(String(hash)) ?? head + 1),
    // Every contract has code from block 0; Multicall3 has none, so that reads are single calls.
    eth_getCode: ({ params: [address] }) => (String(address).startsWith('0xca11') ? '0x' : '0x60'),
    eth_getLogs: ({ params: [filter] }) => {
      const { fromBlock, toBlock, blockHash, address } = filter as Record<
        string,
        string | string[] | undefined
      >
      const only = typeof blockHash === 'string' ? numbers.get(blockHash) : null
      if (only === undefined) return rpcError(-32_000, 'unknown block')
      const addresses = new Set([address ?? []].flat())
      const [first, last] = only === null ? [Number(fromBlock), Number(toBlock)] : [only, only]
      return blocks.slice(first, Math.min(last, head) + 1).flatMap(({ hash, logs }, index) =>
        numberTransactions(logs)
          .filter((log) => addresses.has(log.address))
          .map((log) => ({
            ...log,
            logIndex: quantity(log.logIndex),
            transactionIndex: quantity(log.transactionIndex),
            blockNumber: quantity(first + index),
            blockHash: hash,
            removed: false,
          })),
      )
    },
    eth_call: ({ params: [request, tag] }) => {
      const { to, data, input } = request as { to: string; data?: string; input?: string }
      const atBlock = numberOf(tag)
      if (atBlock === null) return rpcError(-32_000, 'header not found')
      const answers = calls[callKey(to, data ?? input ?? '0x')] ?? []
      const answer = answers.findLast(({ fromBlock }) => fromBlock <= atBlock)
      if (answer === undefined) return '0x'
      return answer.success ? answer.data : rpcError(3, 'execution reverted', answer.data)
    },
  })
}

/** The recording has no indexes of transactions; their logs have an order. */
function numberTransactions(logs: readonly RecordedLog[]) {
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  return logs.map((log) => ({ ...log, transactionIndex: hashes.indexOf(log.transactionHash) }))
}

/** The key of a call. */
export function callKey(to: string, data: string): string {
  return `${to.toLowerCase()} ${data.toLowerCase()}`
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
