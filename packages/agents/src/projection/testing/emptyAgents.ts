import { agentChangeBody, agentProtocol, agentSubject } from '@attestry/core/model/agents.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import { eventPosition, type Position } from '@attestry/core/model/position.ts'
import { unixSeconds, type UnixSeconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'

/** The account that registers empty agents by the thousand, and the owner of every ten thousandth of them. */
export const squatter = `0x${'66'.repeat(20)}` as Address
export const keeper = `0x${'77'.repeat(20)}` as Address

const hashAt = (number: number) => `0x${number.toString(16).padStart(64, 'b')}` as Hash

/** The blocks of a chain of empty agents. */
interface EmptyBlocks {
  readonly chainId: number
  readonly perBlock: number
  readonly secondsPerBlock: number
}

/** Registers so many agents without a URI; by default on chain 5, a thousand a block. */
export async function fillEmptyAgents(
  writer: IndexWriter,
  count: number,
  blocks: Partial<EmptyBlocks> = {},
): Promise<void> {
  const { chainId, perBlock, secondsPerBlock } = {
    ...{ chainId: 5, perBlock: 1_000, secondsPerBlock: 1 },
    ...blocks,
  }
  await writer.openChain(identityOf(chainId))
  for (let from = 0; from < count; from += perBlock) {
    const number = from / perBlock + 1
    const timestamp = unixSeconds(1_770_000_000 + number * secondsPerBlock)
    const events = Array.from({ length: Math.min(perBlock, count - from) }, (_, index) =>
      registration(from + index, eventPosition(number, index), timestamp),
    )
    const block = { number, hash: hashAt(number), parentHash: hashAt(number - 1), timestamp }
    await writer.applyBlocks(chainId, batchOf([{ ...block, events }]))
  }
}

function registration(number: number, position: Position, timestamp: UnixSeconds): DomainEvent {
  return {
    kind: 'metadataSet',
    position,
    protocol: agentProtocol,
    of: 'agent',
    subject: agentSubject(BigInt(number)),
    body: agentChangeBody({
      change: 'registered',
      owner: number % 10_000 === 0 ? keeper : squatter,
      uri: '',
      timestamp,
      transactionHash: `0x${number.toString(16).padStart(64, '0')}` as Hash,
    }),
  }
}
