import { createMerkleProof, createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { toRlp } from 'viem/utils'
import { noBytes, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { hashBytes } from '../../proofs/hashBytes.ts'
import { makeHeader } from '../../proofs/testing/madeBlock.ts'
import type { WantedState } from '../buildStateProof.ts'
import { elementsSlot, slotAfter, wordOf } from '../words.ts'

/** The storage of a contract, as a test writes it. A word of zero is a leaf, as anvil keeps it, unless it is deleted. */
export type MadeStorage = Map<Hash, bigint>

export interface MadeAccount {
  readonly address: Address
  readonly code?: string
  readonly storage: MadeStorage
}

/** A block with a state, and the answers of a node to `eth_getProof`. */
export interface MadeState {
  readonly block: Record<string, unknown>
  prove(wanted: WantedState): Promise<unknown>
}

/** Writes a byte string as Solidity does. */
export function putBytes(storage: MadeStorage, slot: Hash, bytes: Hex): void {
  const digits = bytes.slice(2)
  const length = digits.length / 2
  if (length < 32) {
    storage.set(slot, BigInt(`0x${digits.padEnd(62, '0')}${(length * 2).toString(16).padStart(2, '0')}`))
    return
  }
  storage.set(slot, BigInt(length * 2 + 1))
  for (let index = 0; index * 64 < digits.length; index++) {
    const word = digits.slice(index * 64, index * 64 + 64).padEnd(64, '0')
    // The compiler does not write words of zero.
    if (BigInt(`0x${word}`) !== 0n) storage.set(slotAfter(elementsSlot(slot), index), BigInt(`0x${word}`))
  }
}

/** Members of a word, each at its offset in bytes from the low end. */
export function packed(...members: readonly (readonly [offset: number, value: bigint])[]): bigint {
  return members.reduce((word, [offset, value]) => word | (value << BigInt(8 * offset)), 0n)
}

/** A state with these accounts and some others. */
export async function makeState(accounts: readonly MadeAccount[], number = 77): Promise<MadeState> {
  const state = await createMPT({ useKeyHashing: true })
  const storages = new Map<Address, MerklePatriciaTrie>()
  for (let other = 1; other <= 40; other++) {
    await state.put(
      hexToBytes(wordOf(BigInt(other)).slice(26)),
      hexToBytes(accountRlp(emptyRoot, noBytes).slice(2)),
    )
  }
  for (const { address, code = '0x6000', storage } of accounts) {
    const trie = await createMPT({ useKeyHashing: true })
    for (const [slot, value] of storage) await trie.put(bytesOf(slot), bytesOf(toRlp(shortest(value)) as Hex))
    storages.set(address, trie)
    const root = storage.size === 0 ? emptyRoot : hexOf(trie.root())
    await state.put(bytesOf(address), bytesOf(accountRlp(root, code as Hex)))
  }
  return {
    block: makeHeader(number, hashBytes('0x01' as Hex), 6, hexOf(state.root())),
    async prove({ account, slots }) {
      const trie = storages.get(account)
      const proofs = await Promise.all(
        slots.map(async (key) => ({
          key,
          proof: trie === undefined ? [] : (await createMerkleProof(trie, bytesOf(key))).map(hexOf),
        })),
      )
      return {
        address: account,
        accountProof: (await createMerkleProof(state, bytesOf(account))).map(hexOf),
        storageProof: proofs,
      }
    },
  }
}

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421' as Hex

function accountRlp(root: Hex, code: Hex): Hex {
  return toRlp(['0x01', noBytes, root, hashBytes(code)]) as Hex
}

function shortest(value: bigint): Hex {
  const digits = value === 0n ? '' : value.toString(16)
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}` as Hex
}

function bytesOf(hex: Hex | Hash | Address): Uint8Array {
  return hexToBytes(hex.slice(2))
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}` as Hex
}
