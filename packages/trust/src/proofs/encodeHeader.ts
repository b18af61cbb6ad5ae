import { toRlp } from 'viem/utils'
import { parseHash, type Hex } from '@attestry/core/model/hex.ts'
import { hashBytes } from './hashBytes.ts'
import { readField, type FieldKind } from './rlpField.ts'

type HeaderField = readonly [member: string, kind: FieldKind]

/** The members of every header, in the order in which they are hashed (yellow paper, 4.3). */
const firstFields: readonly HeaderField[] = [
  ['parentHash', 'hash'],
  ['sha3Uncles', 'hash'],
  ['miner', 'address'],
  ['stateRoot', 'hash'],
  ['transactionsRoot', 'hash'],
  ['receiptsRoot', 'hash'],
  ['logsBloom', 'bloom'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'bytes'],
  ['mixHash', 'hash'],
  ['nonce', 'nonce'],
]

/** Members that forks have added since, each after the earlier ones. */
const laterFields: readonly HeaderField[] = [
  // London, EIP-1559.
  ['baseFeePerGas', 'quantity'],
  // Shanghai, EIP-4895.
  ['withdrawalsRoot', 'hash'],
  // Cancun, EIP-4844 and EIP-4788.
  ['blobGasUsed', 'quantity'],
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'hash'],
  // Prague, EIP-7685.
  ['requestsHash', 'hash'],
]

/** The places in a header of the members that a proof names. */
export const headerIndex = {
  parentHash: 0,
  stateRoot: 3,
  receiptsRoot: 5,
  logsBloom: 6,
  number: 8,
  timestamp: 11,
} as const

/** The least number of members of a header. */
export const headerFieldsMin = firstFields.length

/**
 * The RLP of a block's header whose hash is the block's; null if no known form gives that hash. Some nodes add members
 * of later forks to blocks that do not hash these members, so forms with fewer members are tried too.
 * @param block the answer to `eth_getBlockByNumber`.
 */
export function encodeHeader(block: Readonly<Record<string, unknown>>): Hex | null {
  const hash = typeof block['hash'] === 'string' ? parseHash(block['hash']) : null
  const first = readFields(block, firstFields)
  if (hash === null || first.length < firstFields.length) return null
  const later = readFields(block, laterFields)
  for (let count = later.length; count >= 0; count--) {
    const rlp = toRlp([...first, ...later.slice(0, count)]) as Hex
    if (hashBytes(rlp) === hash) return rlp
  }
  return null
}

/** The members up to the first that is missing. */
function readFields(block: Readonly<Record<string, unknown>>, fields: readonly HeaderField[]): Hex[] {
  const values: Hex[] = []
  for (const [member, kind] of fields) {
    const value = readField(block[member], kind)
    if (value === null) break
    values.push(value)
  }
  return values
}
