import { parseAddress, type Hex } from '@attestry/core/model/hex.ts'
import type { ProvenLog } from '@attestry/core/model/recordProof.ts'
import { depositType, receiptTypeMax } from './encodeReceipt.ts'
import { isRlpList, readRlp, type RlpItem } from './readRlp.ts'
import { hasLength } from './rlpField.ts'

/** The logs of a receipt in the encoding of the receipt trie; null if the bytes are not a receipt. */
export function readReceipt(bytes: Hex): readonly ProvenLog[] | null {
  const firstByte = Number.parseInt(bytes.slice(2, 4), 16)
  const isTyped = firstByte <= receiptTypeMax
  // Legacy receipts have no type: 0 as a first byte would be a second encoding.
  if (Number.isNaN(firstByte) || firstByte === 0) return null
  const fields = readRlp(isTyped ? (`0x${bytes.slice(4)}` as Hex) : bytes)
  if (!isRlpList(fields)) return null
  const lengths = isTyped && firstByte === depositType ? [4, 6] : [4]
  if (!lengths.includes(fields.length)) return null
  const [outcome, gas, bloom, logs, ...extra] = fields
  if (typeof outcome !== 'string' || typeof gas !== 'string' || typeof bloom !== 'string') return null
  if (!hasLength(bloom, 256) || !isRlpList(logs) || extra.some(isRlpList)) return null
  const read = logs.map(readLog)
  return read.every((log) => log !== null) ? read : null
}

function readLog(item: RlpItem): ProvenLog | null {
  if (!isRlpList(item) || item.length !== 3) return null
  const [address, topics, data] = item
  const parsed = typeof address === 'string' ? parseAddress(address) : null
  if (parsed === null || typeof data !== 'string' || !isRlpList(topics)) return null
  const words = topics.flatMap((topic) => (typeof topic === 'string' && hasLength(topic, 32) ? topic : []))
  return words.length === topics.length ? { address: parsed, topics: words, data } : null
}
