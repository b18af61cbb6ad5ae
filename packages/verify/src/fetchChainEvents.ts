import type { BlockHeader, ReadBlock } from '@attestry/core/chain/chainClient.ts'
import { RpcMissingError, RpcRefusedError } from '@attestry/core/errors/rpcErrors.ts'
import { InconsistentChainError } from '@attestry/core/errors/reorgErrors.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type {
  ChainLog,
  ContractRead,
  ReadResult,
  ReadRevocation,
} from '@attestry/core/protocols/protocolAdapter.ts'
import {
  decodeLog,
  deploymentOf,
  fetchOwnLogs,
  fetchTransactions,
  planRead,
  type EventSource,
  type TransactionsOfLogs,
} from '@attestry/core/sync/fetchEvents.ts'
import { readByTwo } from '@attestry/core/sync/readAgreed.ts'
import { settleClaims } from '@attestry/core/sync/settleClaims.ts'
import type { BlockSpan } from './findings.ts'

/** The block at whose state records are read. */
export interface Pin {
  readonly header: BlockHeader
  /**
   * Reads contracts, as two endpoints say, at the pinned state, or at the newest state if no node has the pinned one any
   * more.
   */
  readContracts(reads: readonly ContractRead[], signal: AbortSignal): Promise<readonly ReadResult[]>
  /** Whether any read was made at the newest state. */
  isLoose(): boolean
  /** Whether only one endpoint answered any read. */
  isByOne(): boolean
}

/** An event of the chain. */
export interface ChainEvent {
  readonly event: DomainEvent
  /** The revocation of an attestation in its contract at the pinned block; null for other events. */
  readonly revocation: ReadRevocation | null
}

/**
 * Pins reads to a block. Nodes keep the state of a block for a limited time. Afterwards the newest state serves: apart
 * from revocations, records do not change.
 */
export function createPin(source: EventSource, header: BlockHeader): Pin {
  let loose = false
  let byOne = false
  const onUnseconded = () => {
    byOne = true
  }
  return {
    header,
    isLoose: () => loose,
    isByOne: () => byOne,
    readContracts: async (reads, signal) => {
      if (reads.length === 0) return []
      if (!loose) {
        try {
          const at: ReadBlock = { kind: 'blockHash', hash: header.hash }
          return await readByTwo(source, reads, at, signal, onUnseconded)
        } catch (error) {
          if (!(error instanceof RpcMissingError || error instanceof RpcRefusedError)) throw error
          loose = true
        }
      }
      return readByTwo(source, reads, { kind: 'latest' }, signal, onUnseconded)
    },
  }
}

/**
 * The events of a span of blocks, read from the chain, ascending.
 * @throws InconsistentChainError if the endpoints do not know a record that a log announces.
 */
export async function fetchChainEvents(
  source: EventSource,
  pin: Pin,
  { fromBlock, toBlock }: BlockSpan,
  signal: AbortSignal,
): Promise<readonly ChainEvent[]> {
  const logs = await fetchOwnLogs(source, fromBlock, toBlock, signal)
  const transactions = await fetchTransactions(source, logs, signal)
  const planned = logs.map((log) => planRead(source, log))
  const results = await pin.readContracts(
    planned.filter((read) => read !== null),
    signal,
  )
  let next = 0
  const found = logs.flatMap((log, index) => {
    const result = planned[index] === null ? null : (results[next++] ?? null)
    return decode(source, pin, log, result, transactions)
  })
  if (pin.isLoose()) return found
  // The pinned state holds no event of a later time: a record that claims one was born revoked.
  const settled = settleClaims(
    found.map(({ event }) => event),
    pin.header.timestamp,
  )
  return found.map((each, index) => ({ ...each, event: settled[index] ?? each.event }))
}

function decode(
  source: EventSource,
  pin: Pin,
  log: ChainLog,
  result: ReadResult | null,
  transactions: TransactionsOfLogs,
): ChainEvent[] {
  const outcome = decodeLog(source, log, result, transactions, { kind: 'lastBlock', block: pin.header })
  const events = outcome.kind === 'events' ? outcome.events : outcome.otherwise
  if (events === undefined) {
    throw new InconsistentChainError(
      `the endpoints announce a record in block ${log.blockNumber} that they do not know when asked: ${'reason' in outcome ? outcome.reason : ''}`,
      { retryable: true, facts: { block: log.blockNumber } },
    )
  }
  return events.map((event) => ({
    event,
    revocation:
      event.kind === 'attestationMade' && result !== null
        ? deploymentOf(source, log).adapter.readRevocation(result)
        : null,
  }))
}
