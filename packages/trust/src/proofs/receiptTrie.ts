import { createMerkleProof, createMPT, verifyMerkleProof, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { toRlp } from 'viem/utils'
import type { Hash, Hex } from '@attestry/core/model/hex.ts'
import { hashBytes } from './encodeHeader.ts'
import { isRlpList, readRlp } from './readRlp.ts'
import { quantityBytes } from './rlpField.ts'

/** The trie of the receipts of a block. */
export interface ReceiptTrie {
  readonly root: Hash
  /** The nodes from the root to the receipt with this index. */
  prove(index: number): Promise<readonly Hex[]>
}

/** Receipts inserted before other work gets a turn: some 10 ms. */
const receiptsPerTurn = 50

/** @param receipts as they are encoded, in the order of their transactions. */
export async function createReceiptTrie(receipts: readonly Hex[]): Promise<ReceiptTrie> {
  const trie: MerklePatriciaTrie = await createMPT()
  for (const [index, receipt] of receipts.entries()) {
    await trie.put(trieKey(index), bytesOf(receipt))
    if (index % receiptsPerTurn === receiptsPerTurn - 1) await new Promise((turn) => setImmediate(turn))
  }
  return {
    root: hexOf(trie.root()) as string as Hash,
    prove: async (index) => (await createMerkleProof(trie, trieKey(index))).map(hexOf),
  }
}

/**
 * The receipt at the end of a proof's path; null if the path does not lead from the root to the receipt with this
 * index, or if the proof has a node outside of the path.
 */
export async function findProvenReceipt(
  root: Hash,
  index: number,
  nodes: readonly Hex[],
): Promise<Hex | null> {
  if (!isPath(root, nodes)) return null
  try {
    const value = await verifyMerkleProof(trieKey(index), nodes.map(bytesOf), { root: bytesOf(root) })
    return value === null ? null : hexOf(value)
  } catch {
    return null
  }
}

/**
 * Whether each node is referred to by the previous one. Nodes of a receipt trie are never short enough to be embedded.
 */
function isPath(root: Hash, nodes: readonly Hex[]): boolean {
  let expected: readonly unknown[] = [root]
  for (const node of nodes) {
    if (!expected.includes(hashBytes(node))) return false
    const items = readRlp(node)
    if (!isRlpList(items)) return false
    expected = items
  }
  return nodes.length > 0
}

/** The key of a list's item: the RLP of its index. */
function trieKey(index: number): Uint8Array {
  return toRlp(bytesOf(quantityBytes(index)), 'bytes')
}

function bytesOf(hex: Hex | Hash): Uint8Array {
  return hexToBytes(hex.slice(2))
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}` as Hex
}
