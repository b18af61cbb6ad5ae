import { noBytes, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { hashBytes } from './hashBytes.ts'
import { isRlpList, readRlp, type RlpItem } from './readRlp.ts'

/**
 * The end of a path in a Merkle-Patricia trie. `absent`: the path shows that the trie has no such key. `wrong`: the
 * nodes do not form a path; `reason` continues a sentence that began with the name of the proof: "has no root".
 */
export type TrieAnswer =
  | { readonly kind: 'value'; readonly value: Hex }
  | { readonly kind: 'absent' }
  | { readonly kind: 'wrong'; readonly reason: string }

/** The root of a trie without keys: the hash of the RLP of an empty byte string. */
export const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421' as Hash

/**
 * Follows a key from the root, by the nodes of a proof in the order of the path. A node below 32 bytes stands within the
 * one before. A node that is not on the path is refused; so is a path that goes on after the last node.
 */
export function walkTrie(root: Hash, key: Hex | Hash, nodes: readonly Hex[]): TrieAnswer {
  let read = 0
  const answer = follow(root, key, (hash) => {
    const node = nodes[read]
    if (node === undefined || hashBytes(node) !== hash) return null
    read += 1
    return node
  })
  if (answer.kind === 'missing') {
    return wrong(
      read < nodes.length ? `has a node (${read}) that is not on the path` : 'ends before its path does',
    )
  }
  if (answer.kind !== 'wrong' && read < nodes.length)
    return wrong(`has a node (${read}) that is not on the path`)
  return answer
}

/** Nodes by their hashes. */
export function nodesByHash(nodes: readonly Hex[]): ReadonlyMap<Hash, Hex> {
  return new Map(nodes.map((node) => [hashBytes(node), node]))
}

/**
 * The nodes of a path, in its order, among nodes in any order; null if some are missing. Endpoints repeat embedded
 * nodes, or send an empty one for an empty trie.
 */
export function choosePath(
  root: Hash,
  key: Hex | Hash,
  nodes: ReadonlyMap<Hash, Hex>,
): readonly Hex[] | null {
  const path: Hex[] = []
  const answer = follow(root, key, (hash) => {
    const node = nodes.get(hash) ?? null
    if (node !== null) path.push(node)
    return node
  })
  return answer.kind === 'missing' || answer.kind === 'wrong' ? null : path
}

type Followed = TrieAnswer | { readonly kind: 'missing' }

/** @param take the node with a hash; null if it is missing. */
function follow(root: Hash, key: Hex | Hash, take: (hash: Hash) => Hex | null): Followed {
  if (root === emptyRoot) return { kind: 'absent' }
  let rest = key.slice(2)
  let reference: RlpItem = root as string as Hex
  for (;;) {
    const node = resolve(reference, take)
    if (node === 'missing') return { kind: 'missing' }
    if (!isRlpList(node)) return wrong('has bytes that are no node of a trie')
    if (node.length === 17) {
      const next: RlpItem | undefined = node[rest === '' ? 16 : Number.parseInt(rest.slice(0, 1), 16)]
      if (next === undefined || next === noBytes) return { kind: 'absent' }
      if (rest === '') return valueOf(next)
      rest = rest.slice(1)
      reference = next
      continue
    }
    const path = readPath(node)
    const [, next] = node
    if (path === null || next === undefined) return wrong('has bytes that are no node of a trie')
    if (path.isLeaf) return rest === path.nibbles ? valueOf(next) : { kind: 'absent' }
    if (!rest.startsWith(path.nibbles)) return { kind: 'absent' }
    rest = rest.slice(path.nibbles.length)
    reference = next
  }
}

/** The items of a node that stands within another one, or that a hash refers to. */
function resolve(reference: RlpItem, take: (hash: Hash) => Hex | null): RlpItem | null | 'missing' {
  if (isRlpList(reference)) return reference
  if (reference.length !== 66) return null
  const node = take(reference as string as Hash)
  return node === null ? 'missing' : readRlp(node)
}

/** The part of the path that a leaf or an extension stands for; null for anything else. */
function readPath(node: readonly RlpItem[]): { readonly isLeaf: boolean; readonly nibbles: string } | null {
  const [encoded] = node
  if (node.length !== 2 || typeof encoded !== 'string') return null
  const flag = encoded.slice(2, 3)
  const isOdd = flag === '1' || flag === '3'
  const isEven = (flag === '0' || flag === '2') && encoded.slice(3, 4) === '0'
  if (!isOdd && !isEven) return null
  const nibbles = encoded.slice(isOdd ? 3 : 4)
  const isLeaf = flag === '2' || flag === '3'
  // An extension without nibbles would be a second form of the node that it leads to.
  return isLeaf || nibbles !== '' ? { isLeaf, nibbles } : null
}

function valueOf(item: RlpItem): TrieAnswer {
  return isRlpList(item) ? wrong('leads to a list in place of a value') : { kind: 'value', value: item }
}

function wrong(reason: string): { readonly kind: 'wrong'; readonly reason: string } {
  return { kind: 'wrong', reason }
}
