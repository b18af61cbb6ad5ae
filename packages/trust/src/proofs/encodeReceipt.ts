import { toRlp } from 'viem/utils'
import { parseAddress, type Address, type Hex } from '@attestry/core/model/hex.ts'
import { logsBloomOf } from '@attestry/core/model/logsBloom.ts'
import type { ProvenLog } from '@attestry/core/model/recordProof.ts'
import { hasLength, quantityOfBytes, readField } from './rlpField.ts'

/** A receipt in the encoding of its block's trie. */
export interface EncodedReceipt {
  readonly bytes: Hex
  readonly logs: readonly ProvenLog[]
  /** The type of its transaction: 0 for a legacy one. */
  readonly type: number
}

/** Types whose receipts differ from others only by the first byte: EIP-2718, 2930, 1559, 4844, 7702. */
const standardTypes = [0, 1, 2, 3, 4]

/** Deposits of OP-stack chains (specs.optimism.io, "Deposits"). */
export const depositType = 0x7e

/**
 * Whether receipts of a type have a known form. Unknown types are encoded as standard ones, which is right on Arbitrum;
 * the root of the trie shows whether the form was right.
 */
export function isKnownType(type: number): boolean {
  return standardTypes.includes(type) || type === depositType
}

/** The greatest first byte that is a type instead of the beginning of a list (EIP-2718). */
export const receiptTypeMax = 0x7f

/** The block's encoding of a receipt from `eth_getTransactionReceipt`; null if a member is missing or malformed, the bloom aside. */
export function encodeReceipt(receipt: Readonly<Record<string, unknown>>): EncodedReceipt | null {
  const type = readType(receipt['type'])
  const outcome = readOutcome(receipt)
  const gas = readField(receipt['cumulativeGasUsed'], 'quantity')
  const logs = readLogs(receipt['logs'])
  const bloom = readField(receipt['logsBloom'], 'bloom') ?? (logs === null ? null : logsBloomOf(logs))
  const extra = type === depositType ? readDepositFields(receipt) : []
  if (
    type === null ||
    outcome === null ||
    gas === null ||
    bloom === null ||
    logs === null ||
    extra === null
  ) {
    return null
  }
  const payload = toRlp([outcome, gas, bloom, logs.map(rlpOfLog), ...extra])
  const prefix = type === 0 ? '' : type.toString(16).padStart(2, '0')
  return { bytes: `0x${prefix}${payload.slice(2)}` as Hex, logs, type }
}

function readType(value: unknown): number | null {
  // Nodes from before EIP-2718 leave it out.
  if (value === undefined || value === null) return 0
  const bytes = readField(value, 'quantity')
  const type = bytes === null ? null : quantityOfBytes(bytes)
  return type !== null && type <= receiptTypeMax ? type : null
}

/** Success or failure; before Byzantium (EIP-658) the state's root after the transaction. */
function readOutcome(receipt: Readonly<Record<string, unknown>>): Hex | null {
  const { status, root } = receipt
  return status === undefined || status === null ? readField(root, 'hash') : readField(status, 'quantity')
}

/**
 * The additional members of a deposit's receipt. From Canyon on, the receipt has a version, and nonce and version are
 * hashed; between Regolith and Canyon, nodes report a nonce that was not hashed.
 */
function readDepositFields(receipt: Readonly<Record<string, unknown>>): readonly Hex[] | null {
  const { depositNonce, depositReceiptVersion } = receipt
  if (depositReceiptVersion === undefined || depositReceiptVersion === null) return []
  const nonce = readField(depositNonce, 'quantity')
  const version = readField(depositReceiptVersion, 'quantity')
  return nonce === null || version === null ? null : [nonce, version]
}

function readLogs(value: unknown): readonly ProvenLog[] | null {
  if (!Array.isArray(value)) return null
  const logs: ProvenLog[] = []
  for (const item of value as readonly unknown[]) {
    const log = readLog(item)
    if (log === null) return null
    logs.push(log)
  }
  return logs
}

function readLog(item: unknown): ProvenLog | null {
  if (typeof item !== 'object' || item === null) return null
  const address: Address | null =
    'address' in item && typeof item.address === 'string' ? parseAddress(item.address) : null
  const data = 'data' in item ? readField(item.data, 'bytes') : null
  const topics = 'topics' in item && Array.isArray(item.topics) ? (item.topics as readonly unknown[]) : null
  if (address === null || data === null || topics === null) return null
  const read = topics.map((topic) => readField(topic, 'hash'))
  if (!read.every((topic) => topic !== null && hasLength(topic, 32))) return null
  return { address, data, topics: read.filter((topic) => topic !== null) }
}

function rlpOfLog({ address, topics, data }: ProvenLog): [Address, Hex[], Hex] {
  return [address, [...topics], data]
}
