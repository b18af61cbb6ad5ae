import { canonicalJson } from '../gate/canonicalJson.ts'
import { parseCompositeId } from '@attestry/core/model/compositeId.ts'
import { noBytes, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { hashBytes } from '../proofs/hashBytes.ts'
import { readHeader, readStateRoot } from '../proofs/readHeader.ts'
import { isRlpList, readRlp } from '../proofs/readRlp.ts'
import { walkTrie } from '../proofs/walkTrie.ts'
import type { ProofCheck } from '../proofs/checkProof.ts'
import { layoutProtocols } from './layouts.ts'
import { readClaim } from './readClaim.ts'
import { Missing, Unfit, type State } from './state.ts'
import type { ProvenAccount, StateBlock, StateProof } from './stateProof.ts'
import { wordOf } from './words.ts'

/**
 * Checks every claim of a proof without a request. A valid proof leaves two questions to its reader: whether the
 * block with that hash is part of the chain, and whether the contract is trusted.
 */
export function checkStateProof(proof: StateProof): ProofCheck {
  try {
    check(proof)
    return { kind: 'valid' }
  } catch (error) {
    if (error instanceof Unfit || error instanceof Missing) return { kind: 'invalid', reason: error.message }
    throw error
  }
}

function check(proof: StateProof): void {
  const { block, claim, layout } = proof
  checkBlock(block)
  if (layoutProtocols[layout.name] !== proof.protocol) {
    throw new Unfit(`the layout ${layout.name} is not one of the protocol ${proof.protocol}`)
  }
  for (const id of idsOf(proof)) checkChain(id, proof.chainId)
  const read = readAccounts(proof)
  const answer = readClaim(read.state, { contract: layout.contract, layout: layout.name }, claim)
  const unread = read.findUnread()
  if (unread !== null) throw new Unfit(`${unread} is proven, but says nothing of the claim`)
  compare('layout.slots', layout.slots, answer.slots)
  compare('contracts', proof.contracts, answer.contracts)
  compare('says', proof.says, answer.says)
}

function checkBlock(block: StateBlock): void {
  const header = readHeader(block.headerRlp)
  const stateRoot = readStateRoot(block.headerRlp)
  if (header === null || stateRoot === null) throw new Unfit('headerRlp is not the RLP of a header')
  const found = { ...header, stateRoot }
  for (const member of ['hash', 'number', 'parentHash', 'timestamp', 'stateRoot'] as const) {
    if (found[member] === block[member]) continue
    throw new Unfit(`block.${member} is ${block[member]}, but the header gives ${found[member]}`)
  }
}

/** The composite ids that a claim names: the chain that they name must be that of the proof. */
function idsOf({ claim }: StateProof): readonly string[] {
  const { kind } = claim
  const ids =
    kind === 'attestation'
      ? [claim.id]
      : kind === 'holder'
        ? [claim.attestation]
        : kind === 'reputation'
          ? []
          : [claim.witness]
  return ids.filter((id) => id !== null)
}

function checkChain(id: string, chainId: string): void {
  const parsed = parseCompositeId(id)
  if (parsed.kind === 'record' && String(parsed.key.chainId) === chainId) return
  throw new Unfit(`${id} is not the id of a record on chain ${chainId}`)
}

interface Account {
  readonly codeHash: Hash
  readonly words: ReadonlyMap<Hash, Hash>
}

/** The proven parts of a state, which remembers what is read. */
function readAccounts({ accounts, block }: StateProof): {
  readonly state: State
  findUnread(): string | null
} {
  const proven = new Map<Address, Account>()
  for (const account of accounts) {
    if (proven.has(account.address)) throw new Unfit(`the account ${account.address} is proven twice`)
    proven.set(account.address, readAccount(account, block.stateRoot))
  }
  const readCodes = new Set<Address>()
  const readWords = new Set<string>()
  const find = (address: Address, slots: readonly Hash[]): Account => {
    const account = proven.get(address)
    if (account === undefined) throw new Missing(address, slots)
    return account
  }
  return {
    state: {
      timestamp: block.timestamp,
      codeHash: (address) => {
        readCodes.add(address)
        return find(address, []).codeHash
      },
      words: (address, slots) => {
        const { words } = find(address, slots)
        return slots.map((slot) => {
          const word = words.get(slot)
          if (word === undefined) throw new Missing(address, [slot])
          readWords.add(`${address} ${slot}`)
          return word
        })
      },
      expect: () => undefined,
    },
    findUnread() {
      for (const [address, { words }] of proven) {
        const slots = [...words.keys()]
        const unread = slots.find((slot) => !readWords.has(`${address} ${slot}`))
        if (unread !== undefined) return `the slot ${unread} of ${address}`
        if (slots.length === 0 && !readCodes.has(address)) return `the account ${address}`
      }
      return null
    },
  }
}

function readAccount(account: ProvenAccount, stateRoot: Hash): Account {
  const { address, accountProof, storageProof } = account
  const answer = walkTrie(stateRoot, hashBytes(address as string as Hex), accountProof)
  if (answer.kind === 'wrong') throw new Unfit(`the account proof of ${address} ${answer.reason}`)
  if (answer.kind === 'absent') throw new Unfit(`there is no contract at ${address}`)
  const members = readAccountRlp(answer.value)
  if (members === null) throw new Unfit(`the account proof of ${address} does not lead to an account`)
  if (members.codeHash !== account.codeHash) {
    throw new Unfit(`the code hash of ${address} is ${members.codeHash}, not ${account.codeHash}`)
  }
  const words = new Map<Hash, Hash>()
  for (const { key, value, proof } of storageProof) {
    if (words.has(key)) throw new Unfit(`the slot ${key} of ${address} is proven twice`)
    const word = readWord(members.storageRoot, key, proof)
    if (word.kind === 'wrong') throw new Unfit(`the proof of the slot ${key} of ${address} ${word.reason}`)
    if (word.word !== value) throw new Unfit(`the slot ${key} of ${address} holds ${word.word}, not ${value}`)
    words.set(key, value)
  }
  return { codeHash: members.codeHash, words }
}

/** An account in the trie of a state: nonce, balance, root of the storage, hash of the code. Null for other bytes. */
export function readAccountRlp(bytes: Hex): { readonly storageRoot: Hash; readonly codeHash: Hash } | null {
  const items = readRlp(bytes)
  if (!isRlpList(items) || items.length !== 4) return null
  const [nonce, balance, storageRoot, codeHash] = items
  if (typeof nonce !== 'string' || typeof balance !== 'string') return null
  if (typeof storageRoot !== 'string' || typeof codeHash !== 'string') return null
  if (storageRoot.length !== 66 || codeHash.length !== 66) return null
  return { storageRoot: storageRoot as string as Hash, codeHash: codeHash as string as Hash }
}

/** A word of a storage. Zero is a slot that the trie does not have, or with some nodes a leaf with an empty value. */
export function readWord(
  storageRoot: Hash,
  slot: Hash,
  nodes: readonly Hex[],
): { readonly kind: 'word'; readonly word: Hash } | { readonly kind: 'wrong'; readonly reason: string } {
  const answer = walkTrie(storageRoot, hashBytes(slot), nodes)
  if (answer.kind === 'wrong') return answer
  if (answer.kind === 'absent') return { kind: 'word', word: wordOf(0n) }
  const value = readRlp(answer.value)
  const isWord = typeof value === 'string' && value.length <= 66 && !value.startsWith('0x00')
  if (!isWord) return { kind: 'wrong', reason: 'does not lead to a word' }
  return { kind: 'word', word: wordOf(value === noBytes ? 0n : BigInt(value)) }
}

function compare(name: string, claimed: unknown, found: unknown): void {
  if (canonicalJson(claimed) === canonicalJson(found)) return
  throw new Unfit(`${name} is not what the state gives: ${canonicalJson(found).slice(0, 300)}`)
}
