import { parseAddress, parseHash, parseHex, zeroAddress } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { ChainLog } from '@attestry/core/protocols/protocolAdapter.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import { encodeLog } from '../simulator/encodeLog.ts'
import { readContract } from '../simulator/readContract.ts'
import type { SimulatedChain } from '../simulator/simulatedChain.ts'
import { callKey, type RecordedAnswer, type RecordedBlock, type RecordedChain } from './recordedChain.ts'

/**
 * Records a simulated chain: blocks, logs, and the answers of the contract reads that complete the logs, at each state.
 */
export function recordChain(chain: SimulatedChain): RecordedChain {
  const view = chain.view()
  const events = chain.events(view, 0, chain.head())
  const blocks = Array.from({ length: chain.head() + 1 }, (_, number): RecordedBlock => {
    const { hash, timestamp } = chain.block(view, number) ?? { hash: '', timestamp: 0 }
    const logs = events
      .filter((event) => event.block === number)
      .map((event) => ({
        ...encodeLog(chain, event),
        logIndex: event.logIndex,
        transactionHash: event.transactionHash,
      }))
    return { hash, timestamp, logs }
  })
  const states = blocks.flatMap(({ logs }, number) => (logs.length > 0 ? [number] : []))
  const calls: Record<string, RecordedAnswer[]> = {}
  for (const [number, block] of blocks.entries()) {
    for (const log of logsOf(block, number)) {
      for (const { to, data } of readsOf(chain, log)) {
        calls[callKey(to, data)] ??= answersOf(chain, states, to, data)
      }
    }
  }
  return { chainId: chain.chainId, contracts: chain.contracts, blocks, calls }
}

function answersOf(
  chain: SimulatedChain,
  states: readonly number[],
  to: string,
  data: string,
): RecordedAnswer[] {
  const answers: RecordedAnswer[] = []
  for (const fromBlock of states) {
    const outcome = readContract(chain, chain.view(), fromBlock, to.toLowerCase(), data.slice(2), false)
    const answer = { fromBlock, success: outcome.success, data: `0x${outcome.data}` }
    const last = answers.at(-1)
    if (last?.data !== answer.data || last.success !== answer.success) answers.push(answer)
  }
  return answers
}

function readsOf({ chainId, contracts }: SimulatedChain, log: ChainLog) {
  const address = (text: string) => parseAddress(text) ?? zeroAddress
  const deployments = [
    { protocol: 'sign', address: address(contracts.sign), schemaRegistry: null },
    { protocol: 'eas', address: address(contracts.eas), schemaRegistry: address(contracts.schemaRegistry) },
  ]
  return deployments.flatMap((deployment) => {
    const adapter = findProtocol(deployment.protocol)
    const whole = { ...deployment, chainId, startBlock: 0 }
    if (adapter?.contractsOf(whole).includes(log.address) !== true) return []
    return adapter.planRead(whole, log) ?? []
  })
}

function logsOf({ hash, timestamp, logs }: RecordedBlock, blockNumber: number): ChainLog[] {
  return logs.flatMap((log): ChainLog[] => {
    const [address, blockHash, transactionHash, data] = [
      parseAddress(log.address),
      parseHash(hash),
      parseHash(log.transactionHash),
      parseHex(log.data),
    ]
    if (address === null || blockHash === null || transactionHash === null || data === null) return []
    return [
      {
        address,
        topics: log.topics.flatMap((topic) => parseHex(topic) ?? []),
        data,
        blockNumber,
        blockHash,
        blockTimestamp: unixSeconds(timestamp),
        transactionHash,
        position: eventPosition(blockNumber, log.logIndex),
      },
    ]
  })
}
