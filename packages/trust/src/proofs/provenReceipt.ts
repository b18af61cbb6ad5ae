import { toRlp } from 'viem/utils'
import type { Hash, Hex } from '@attestry/core/model/hex.ts'
import { quantityBytes } from './rlpField.ts'
import { walkTrie } from './walkTrie.ts'

/**
 * The receipt at the end of a proof's path. Null if the path does not lead from the root to the receipt with this index.
 * A node outside of the path gives null too.
 */
export function findProvenReceipt(root: Hash, index: number, nodes: readonly Hex[]): Hex | null {
  const answer = walkTrie(root, receiptKey(index), nodes)
  return answer.kind === 'value' ? answer.value : null
}

/** The key of a receipt in the trie: the RLP of its index. */
export function receiptKey(index: number): Hex {
  return toRlp(quantityBytes(index)) as Hex
}
