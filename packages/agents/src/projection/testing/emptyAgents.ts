import { agentChangeBody, agentProtocol, agentSubject } from '@attestry/core/model/agents.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'

/** The account that registers empty agents by the thousand, and the owner of every ten thousandth of them. */
export const squatter = `0x${'66'.repeat(20)}` as Address
export const keeper = `0x${'77'.repeat(20)}` as Address

const perBlock = 1_000
const hashAt = (number: number) => `0x${number.toString(16).padStart(64, 'b')}` as Hash
const timeOf = (block: number) => unixSeconds(1_770_000_000 + block)

/** Registers so many agents without a URI on chain 5, a thousand a block. */
export async function fillEmptyAgents(writer: IndexWriter, count: number): Promise<void> {
  await writer.openChain(identityOf(5))
  for (let from = 0; from < count; from += perBlock) {
    const number = from / perBlock + 1
    const events = Array.from({ length: Math.min(perBlock, count - from) }, (_, index) =>
      registration(from + index),
    )
    const block = { number, hash: hashAt(number), parentHash: hashAt(number - 1), timestamp: timeOf(number) }
    await writer.applyBlocks(5, batchOf([{ ...block, events }]))
  }
}

function registration(number: number): DomainEvent {
  const block = Math.floor(number / perBlock) + 1
  return {
    kind: 'metadataSet',
    position: eventPosition(block, number % perBlock),
    protocol: agentProtocol,
    of: 'agent',
    subject: agentSubject(BigInt(number)),
    body: agentChangeBody({
      change: 'registered',
      owner: number % 10_000 === 0 ? keeper : squatter,
      uri: '',
      timestamp: timeOf(block),
      transactionHash: `0x${number.toString(16).padStart(64, '0')}` as Hash,
    }),
  }
}
