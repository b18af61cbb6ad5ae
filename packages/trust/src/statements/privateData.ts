import { bytesToHex } from '@noble/hashes/utils.js'
import type { Hash, Hex } from '@attestry/core/model/hex.ts'
import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import type { ReadPrivateProof } from '@attestry/core/model/offchainRecord.ts'
import { keccak256 } from '@attestry/core/model/keccak.ts'
import { bytesOf, concatParts } from '@attestry/core/protocols/bytes.ts'
import type { NamedPayloadValue } from '@attestry/core/model/decodedPayload.ts'
import type { AbiParameter } from '@attestry/core/protocols/abi/abiType.ts'
import { abiValuesMax, decodeAbiValues } from '@attestry/core/protocols/abi/decodeAbiValues.ts'
import { encodeAbiValues } from '@attestry/core/protocols/abi/encodeAbiValue.ts'
import { parseAbiParameters } from '@attestry/core/protocols/abi/parseAbiParameters.ts'
import { readBoolean, readHash } from './eip712.ts'
import { type Members, readList, readMembers, readText, UnreadableInput } from './unreadable.ts'

/**
 * The uid of EAS's schema `bytes32 privateData` (no resolver, revocable). A schema's uid is the hash of its content, so
 * the uid is the same on every chain.
 */
export const privateDataSchemaUid =
  '0x20351f973fdec1478924c89dfa533d8f872defa108d9c3c6512267d7e7e5dbc2' as Hash

/** Most values that a proof may reveal. */
export const revealedMax = 1_000

/**
 * Reads a multiproof of EAS's `PrivateData`, `{leaves: [{type, name, value, salt}], proof, proofFlags}`, and computes
 * the root that it leads to. Never throws, whatever is sent.
 */
export function readPrivateProof(sent: unknown): ReadPrivateProof {
  try {
    return readProof(sent)
  } catch (error) {
    if (error instanceof UnreadableInput) return { kind: 'unreadable', reason: error.message }
    throw error
  }
}

function readProof(sent: unknown): ReadPrivateProof {
  const members = readMembers(sent, 'proof')
  const leaves = readList(members['leaves'], 'proof.leaves')
  if (leaves.length === 0)
    throw new UnreadableInput('proof.leaves is empty: a proof that reveals nothing proves nothing')
  if (leaves.length > revealedMax)
    throw new UnreadableInput(`proof.leaves has more than ${revealedMax} values`)
  checkValues(leaves)
  const read = leaves.map((leaf, index) => readLeaf(readMembers(leaf, `proof.leaves[${index}]`), index))
  const proof = readList(members['proof'], 'proof.proof').map((node, index) =>
    bytesOf(readHash(node, `proof.proof[${index}]`)),
  )
  const flags = readList(members['proofFlags'], 'proof.proofFlags').map((flag, index) =>
    readBoolean(flag, `proof.proofFlags[${index}]`),
  )
  return {
    kind: 'proof',
    revealed: decodeLeaves(read),
    root: computeRoot(
      read.map(({ hash }) => hash),
      proof,
      flags,
    ),
  }
}

/**
 * Checks that all leaves together can be shown, before any is encoded: an empty list, two characters of JSON, takes 64
 * bytes that are hashed.
 */
function checkValues(leaves: readonly unknown[]): void {
  let values = leaves.map((leaf, index) => readMembers(leaf, `proof.leaves[${index}]`)['value'])
  for (let count = 0; values.length > 0;) {
    count += values.length
    if (count > abiValuesMax) throw new UnreadableInput(`proof.leaves hold more than ${abiValuesMax} values`)
    values = values.flatMap(valuesIn)
  }
}

function valuesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[]
  return isJsonObject(value) ? Object.values(value) : []
}

interface Leaf {
  readonly parameter: AbiParameter
  readonly value: unknown
  readonly hash: Uint8Array
}

/** All values at once: the bound of their size holds for the whole proof. */
function decodeLeaves(leaves: readonly Leaf[]): readonly NamedPayloadValue[] {
  const parameters = leaves.map(({ parameter }) => parameter)
  const encoded = encodeAbiValues(
    parameters.map(({ type }) => type),
    leaves.map(({ value }) => value),
  )
  if (encoded === null) throw new TypeError('each value is one of its type')
  const decoded = decodeAbiValues(parameters, `0x${bytesToHex(encoded)}` as Hex)
  if (decoded.kind === 'values') return decoded.values
  throw new UnreadableInput(`proof.leaves cannot be shown: ${decoded.reason}`)
}

const leafTypes = (parseAbiParameters('string type, string name, bytes value, bytes32 salt') ?? []).map(
  ({ type }) => type,
)

function readLeaf(leaf: Members, index: number): Leaf {
  const path = `proof.leaves[${index}]`
  const type = readText(leaf['type'], `${path}.type`)
  const name = readText(leaf['name'], `${path}.name`)
  const salt = readHash(leaf['salt'], `${path}.salt`)
  const parameters = parseAbiParameters(type)
  const [parameter] = parameters ?? []
  if (parameters?.length !== 1 || parameter?.name !== '') {
    throw new UnreadableInput(`${path}.type is no type of Solidity`)
  }
  const value = encodeAbiValues([parameter.type], [leaf['value']])
  if (value === null) throw new UnreadableInput(`${path}.value is no value of its type`)
  const encoded = encodeAbiValues(leafTypes, [type, name, `0x${bytesToHex(value)}` as Hex, salt])
  if (encoded === null) throw new TypeError('a leaf has the types of a leaf')
  return {
    parameter: { name, typeText: type, type: parameter.type },
    value: leaf['value'],
    hash: keccak256(keccak256(encoded)),
  }
}

/**
 * The root that OpenZeppelin's `MerkleProof.processMultiProof` computes: each flag says whether the next node's second
 * half is among the computed nodes (true) or is the proof's next one.
 */
function computeRoot(
  leaves: readonly Uint8Array[],
  proof: readonly Uint8Array[],
  flags: readonly boolean[],
): Hash | null {
  if (leaves.length + proof.length !== flags.length + 1) return null
  const nodes = [...leaves]
  let nextNode = 0
  let nextProof = 0
  for (const flag of flags) {
    const one = nodes[nextNode++]
    const other = flag ? nodes[nextNode++] : proof[nextProof++]
    if (one === undefined || other === undefined) return null
    nodes.push(hashPair(one, other))
  }
  const root = nodes.at(-1)
  return root === undefined || nextProof !== proof.length ? null : (`0x${bytesToHex(root)}` as Hash)
}

function hashPair(one: Uint8Array, other: Uint8Array): Uint8Array {
  const isInOrder = bytesToHex(one) < bytesToHex(other)
  return keccak256(isInOrder ? concatParts([one, other]) : concatParts([other, one]))
}
