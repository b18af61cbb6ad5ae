import { logsBloomOf } from '@attestry/core/model/logsBloom.ts'
import type { ProvenBlock, ProvenLog } from '@attestry/core/model/recordProof.ts'
import { encodeHeader } from './encodeHeader.ts'
import { encodeReceipt, isKnownType, type EncodedReceipt } from './encodeReceipt.ts'
import { readHeader } from './readHeader.ts'
import { createReceiptTrie, type ReceiptTrie } from './receiptTrie.ts'
import { readField } from './rlpField.ts'

/** A block from which any of its logs can be proven. */
export interface EncodedBlock {
  readonly kind: 'encoded'
  readonly header: ProvenBlock
  readonly logsOfReceipts: readonly (readonly ProvenLog[])[]
  readonly trie: ReceiptTrie
  /** Its approximate size in memory. */
  readonly bytes: number
}

/** The reason why no log of a block can be proven, as the end of a sentence that begins with the block. */
export interface UnprovableBlock {
  readonly kind: 'unprovable'
  readonly reason: string
}

type Members = Readonly<Record<string, unknown>>

/**
 * A block with the trie of its receipts, from the answers of JSON-RPC. The answers are not trusted: the header must
 * hash to the block's hash, and the receipts to the header's root.
 */
export async function encodeBlock(
  block: Members,
  receipts: readonly Members[],
): Promise<EncodedBlock | UnprovableBlock> {
  const encoded: EncodedReceipt[] = []
  for (const [index, receipt] of receipts.entries()) {
    const one = encodeReceipt(receipt)
    if (one === null) return unprovable(`has a receipt (${index}) of a form that is not known here`)
    encoded.push(one)
  }
  const headerRlp = encodeHeader(withBloom(block, encoded))
  const header = headerRlp === null ? null : readHeader(headerRlp)
  if (header === null) return unprovable('has a header of a form that is not known here')
  for (const candidate of [encoded, withoutSystemReceipts(encoded, receipts)]) {
    if (candidate === null) continue
    const trie = await createReceiptTrie(candidate.map(({ bytes }) => bytes))
    if (trie.root !== header.receiptsRoot) continue
    const bytes = candidate.reduce((sum, receipt) => sum + receipt.bytes.length * 4, headerBytes)
    return { kind: 'encoded', header, trie, bytes, logsOfReceipts: candidate.map(({ logs }) => logs) }
  }
  const unknown = encoded.find(({ type }) => !isKnownType(type))
  return unprovable(
    unknown === undefined
      ? 'has receipts that do not give the root that its header names'
      : `has receipts of type 0x${unknown.type.toString(16)}, whose form is not known here`,
  )
}

/** A header and its members, in memory. */
const headerBytes = 8_192

/** A block whose bloom is that of its logs if an endpoint left it out. */
function withBloom(block: Members, receipts: readonly EncodedReceipt[]): Members {
  if (readField(block['logsBloom'], 'bloom') !== null) return block
  return { ...block, logsBloom: logsBloomOf(receipts.flatMap(({ logs }) => logs)) }
}

/**
 * The extra receipt that Polygon's nodes append for state from Ethereum; null if the block has none. It is not in the
 * block's trie, used no gas and has no sender.
 */
function withoutSystemReceipts(
  encoded: readonly EncodedReceipt[],
  receipts: readonly Members[],
): readonly EncodedReceipt[] | null {
  const last = receipts.at(-1)
  const isSystem = last !== undefined && isZero(last['from']) && isZero(last['gasUsed'])
  return isSystem ? encoded.slice(0, -1) : null
}

function isZero(value: unknown): boolean {
  return typeof value === 'string' && /^0x0*$/.test(value)
}

function unprovable(reason: string): UnprovableBlock {
  return { kind: 'unprovable', reason }
}
