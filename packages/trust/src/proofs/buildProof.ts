import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import {
  proofFormat,
  proofVersion,
  type ProvableEvent,
  type RecordProof,
} from '@attestry/core/model/recordProof.ts'
import type { EncodedBlock } from './encodeBlock.ts'
import { isEventOf } from './isEventOf.ts'

/** The proof of an event from its block; null if the block holds no log of that event. */
export async function buildProof(
  block: EncodedBlock,
  wanted: Omit<ProvableEvent, 'blockHash'>,
): Promise<RecordProof | null> {
  const { event, key, protocol } = wanted
  const place = findLog(block, wanted)
  if (place === null) return null
  const { transactionIndex, logIndex, receiptLogIndex } = place
  const log = block.logsOfReceipts[transactionIndex]?.[receiptLogIndex]
  if (log === undefined) return null
  return {
    format: proofFormat,
    version: proofVersion,
    event,
    id: formatCompositeId(key),
    protocol,
    block: block.header,
    transactionIndex,
    logIndex,
    receiptLogIndex,
    receiptProof: await block.trie.prove(transactionIndex),
    log,
  }
}

interface LogPlace {
  readonly transactionIndex: number
  readonly logIndex: number
  readonly receiptLogIndex: number
}

/** The place of the first log that is the event, made by one of the contracts: the index keeps the first as well. */
function findLog(
  { logsOfReceipts }: EncodedBlock,
  { event, key, protocol, contracts }: Omit<ProvableEvent, 'blockHash'>,
): LogPlace | null {
  let logIndex = 0
  for (const [transactionIndex, logs] of logsOfReceipts.entries()) {
    for (const [receiptLogIndex, log] of logs.entries()) {
      if (contracts.includes(log.address) && isEventOf(log, { event, protocol, localId: key.localId })) {
        return { transactionIndex, logIndex, receiptLogIndex }
      }
      logIndex += 1
    }
  }
  return null
}
