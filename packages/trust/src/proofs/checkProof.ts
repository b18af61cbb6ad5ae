import { parseCompositeId } from '@attestry/core/model/compositeId.ts'
import type { ProvenBlock, ProvenLog, RecordProof } from '@attestry/core/model/recordProof.ts'
import { isEventOf } from './isEventOf.ts'
import { findProvenReceipt } from './provenReceipt.ts'
import { readHeader } from './readHeader.ts'
import { readReceipt } from './readReceipt.ts'

/** The result of a check; `reason` is a sentence without its full stop. */
export type ProofCheck = { readonly kind: 'valid' } | { readonly kind: 'invalid'; readonly reason: string }

/**
 * Checks every claim of a proof by computation alone. A valid proof leaves two questions to its reader: whether the
 * block with that hash is part of the chain, and whether the contract is trusted.
 */
export async function checkProof(proof: RecordProof): Promise<ProofCheck> {
  const { block, event, log, protocol, receiptLogIndex, transactionIndex } = proof
  const header = readHeader(block.headerRlp)
  if (header === null) return invalid('headerRlp is not the RLP of a header')
  const contradiction = headerMembers.find((member) => header[member] !== block[member])
  if (contradiction !== undefined) {
    return invalid(
      `block.${contradiction} is ${block[contradiction]}, but the header gives ${header[contradiction]}`,
    )
  }
  const receipt = findProvenReceipt(block.receiptsRoot, transactionIndex, proof.receiptProof)
  if (receipt === null) {
    return invalid(
      `receiptProof does not lead from block.receiptsRoot to the receipt of transaction ${transactionIndex}`,
    )
  }
  const logs = readReceipt(receipt)
  if (logs === null) return invalid('what receiptProof leads to is no receipt')
  const proven = logs[receiptLogIndex]
  if (proven === undefined)
    return invalid(`the receipt has ${logs.length} logs, none with the index ${receiptLogIndex}`)
  const difference = findDifference(log, proven)
  if (difference !== null) return invalid(`log.${difference} is not that of the log in the receipt`)
  const misplaced = findMisplacement(proof)
  if (misplaced !== null) return invalid(misplaced)
  const id = parseCompositeId(proof.id)
  if (id.kind !== 'record' || !isEventOf(log, { event, protocol, localId: id.key.localId })) {
    return invalid(`the log is not the event of the ${event} of ${proof.id} in the protocol ${protocol}`)
  }
  return { kind: 'valid' }
}

const headerMembers = [
  'hash',
  'number',
  'parentHash',
  'timestamp',
  'receiptsRoot',
] as const satisfies readonly (keyof ProvenBlock)[]

function findDifference(claimed: ProvenLog, proven: ProvenLog): string | null {
  if (claimed.address !== proven.address) return 'address'
  if (claimed.data !== proven.data) return 'data'
  const sameTopics =
    claimed.topics.length === proven.topics.length &&
    claimed.topics.every((topic, index) => topic === proven.topics[index])
  return sameTopics ? null : 'topics'
}

/** The index in the block is at least the index in the receipt, and equal to it in the first receipt. */
function findMisplacement({ logIndex, receiptLogIndex, transactionIndex }: RecordProof): string | null {
  const isPossible = transactionIndex === 0 ? logIndex === receiptLogIndex : logIndex >= receiptLogIndex
  if (isPossible) return null
  return `logIndex is ${logIndex}, which the log with the index ${receiptLogIndex} of receipt ${transactionIndex} cannot have`
}

function invalid(reason: string): ProofCheck {
  return { kind: 'invalid', reason }
}
