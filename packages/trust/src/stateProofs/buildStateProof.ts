import { hashBytes } from '../proofs/hashBytes.ts'
import { readHeader, readStateRoot } from '../proofs/readHeader.ts'
import { choosePath, nodesByHash, walkTrie } from '../proofs/walkTrie.ts'
import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { parseHex, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { readAccountRlp, readWord } from './checkStateProof.ts'
import type { RecordHints } from './layouts.ts'
import { noCode, readClaim, type ClaimPlace } from './readClaim.ts'
import { addSlots, Missing, Unfit, type State } from './state.ts'
import {
  stateProofFormat,
  stateProofVersion,
  type Claim,
  type ProvenAccount,
  type ProvenWord,
  type StateBlock,
  type StateProof,
} from './stateProof.ts'

/** The parts of a state that are still to be asked for. */
export interface WantedState {
  readonly account: Address
  readonly slots: readonly Hash[]
}

/** An account and words of an endpoint's answer, checked against the state's root. */
export interface ReadAccount extends Omit<ProvenAccount, 'storageProof'> {
  readonly words: ReadonlyMap<Hash, ProvenWord>
}

/** The block of a header; null if the bytes are not a header. */
export function stateBlockOf(headerRlp: Hex): StateBlock | null {
  const header = readHeader(headerRlp)
  const stateRoot = readStateRoot(headerRlp)
  if (header === null || stateRoot === null) return null
  const { number, hash, parentHash, timestamp } = header
  return { number, hash, parentHash, timestamp, stateRoot, headerRlp }
}

/**
 * Reads an answer to `eth_getProof`, of which nothing is believed: each path must lead from the root, and nodes that are
 * not on it are left out.
 * @returns the reason for which the answer proves nothing, as the end of a sentence that begins with the answer.
 */
export function readProofAnswer(
  answer: unknown,
  { account, slots }: WantedState,
  stateRoot: Hash,
): ReadAccount | string {
  if (!isJsonObject(answer)) return 'is no object'
  const nodes = readNodes(answer['accountProof'])
  if (nodes === null) return 'has no list of nodes in accountProof'
  const key = hashBytes(account as string as Hex)
  const path = choosePath(stateRoot, key, nodesByHash(nodes))
  if (path === null) return 'is not of the state of the block: its account proof does not begin at the root'
  const leaf = walkTrie(stateRoot, key, path)
  const members = leaf.kind === 'value' ? readAccountRlp(leaf.value) : null
  if (leaf.kind === 'absent')
    return { address: account, codeHash: noCode, accountProof: path, words: new Map() }
  if (members === null) return 'does not lead to an account'
  const storage: unknown = answer['storageProof']
  const items: readonly unknown[] = Array.isArray(storage) ? storage : []
  // Nodes of all words together: endpoints may answer in another order, or spell the slots in another way.
  const all = nodesByHash(
    items.flatMap((item) => (isJsonObject(item) ? (readNodes(item['proof']) ?? []) : [])),
  )
  const words = new Map<Hash, ProvenWord>()
  for (const slot of slots) {
    const proof = choosePath(members.storageRoot, hashBytes(slot), all)
    const read = proof === null ? null : readWord(members.storageRoot, slot, proof)
    if (proof === null || read?.kind !== 'word') return `does not prove the slot ${slot}`
    words.set(slot, { key: slot, value: read.word, proof })
  }
  return { address: account, codeHash: members.codeHash, accountProof: path, words }
}

function readNodes(value: unknown): readonly Hex[] | null {
  if (!Array.isArray(value)) return null
  const items: readonly unknown[] = value
  const nodes = items.map((item) => (typeof item === 'string' ? parseHex(item) : null))
  return nodes.every((node) => node !== null) ? nodes : null
}

export interface ProofSubject {
  readonly chainId: number
  readonly protocol: string
  readonly place: ClaimPlace
  readonly claim: Claim
  readonly hints?: RecordHints
}

export type Built =
  | { readonly kind: 'proof'; readonly proof: StateProof }
  /** Asked for next; more may follow. */
  | { readonly kind: 'wanted'; readonly wanted: readonly WantedState[] }

/**
 * The proof of a claim, with what it reads of the accounts and nothing else.
 * @throws Unfit if the layout is not that of the contract.
 */
export function buildStateProof(
  { chainId, protocol, place, claim, hints }: ProofSubject,
  block: StateBlock,
  accounts: ReadonlyMap<Address, ReadAccount>,
): Built {
  const used = new Map<Address, Set<Hash>>()
  const expected = new Map<Address, Set<Hash>>()
  const find = (account: Address, slots: readonly Hash[]): ReadAccount => {
    const found = accounts.get(account)
    if (found === undefined) throw new Missing(account, slots)
    return found
  }
  const state: State = {
    timestamp: block.timestamp,
    codeHash: (account) => {
      addSlots(used, account, [])
      return find(account, []).codeHash
    },
    words: (account, slots) => {
      const { codeHash, words } = find(account, slots)
      if (codeHash === noCode) throw new Unfit(`there is no contract at ${account}`)
      const missing = slots.filter((slot) => !words.has(slot))
      if (missing.length > 0) throw new Missing(account, missing)
      addSlots(used, account, slots)
      return slots.map((slot) => words.get(slot)?.value ?? slot)
    },
    expect: (account, slots) => addSlots(expected, account, slots),
  }
  try {
    const { says, slots, contracts } = readClaim(state, place, claim, hints)
    const proof: StateProof = {
      format: stateProofFormat,
      version: stateProofVersion,
      chainId: String(chainId),
      protocol,
      claim,
      block,
      layout: { name: place.layout, contract: place.contract, slots },
      contracts,
      says,
      accounts: [...used].map(([address, slotsOfAccount]) => {
        const { codeHash, accountProof, words } = find(address, [])
        return {
          address,
          codeHash,
          accountProof,
          storageProof: [...slotsOfAccount].flatMap((slot) => words.get(slot) ?? []),
        }
      }),
    }
    return { kind: 'proof', proof }
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    addSlots(expected, error.account, error.slots)
    const wanted = [...expected].flatMap(([account, slots]) => {
      const known = accounts.get(account)?.words
      const unknown = [...slots].filter((slot) => known?.has(slot) !== true)
      return unknown.length > 0 || known === undefined ? [{ account, slots: unknown }] : []
    })
    return { kind: 'wanted', wanted }
  }
}
