import { createMerkleProof, createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hash, Hex } from '@attestry/core/model/hex.ts'
import { receiptKey } from './provenReceipt.ts'

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
    await trie.put(bytesOf(receiptKey(index)), bytesOf(receipt))
    if (index % receiptsPerTurn === receiptsPerTurn - 1) await new Promise((turn) => setImmediate(turn))
  }
  return {
    root: hexOf(trie.root()) as string as Hash,
    prove: async (index) => (await createMerkleProof(trie, bytesOf(receiptKey(index)))).map(hexOf),
  }
}

function bytesOf(hex: Hex | Hash): Uint8Array {
  return hexToBytes(hex.slice(2))
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}` as Hex
}
