import { parseHash, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import type { ProvenBlock } from '@attestry/core/model/recordProof.ts'
import { headerFieldsMin, headerIndex } from './encodeHeader.ts'
import { hashBytes } from './hashBytes.ts'
import { isRlpList, readRlp, type RlpItem } from './readRlp.ts'
import { hasLength, quantityOfBytes } from './rlpField.ts'

/** The members of a header, with its hash; null if the bytes are not a header. */
export function readHeader(headerRlp: Hex): ProvenBlock | null {
  const fields = readRlp(headerRlp)
  if (!isRlpList(fields) || fields.length < headerFieldsMin) return null
  const bloom = fields[headerIndex.logsBloom]
  if (typeof bloom !== 'string' || !hasLength(bloom, 256)) return null
  const parentHash = readHash(fields[headerIndex.parentHash])
  const receiptsRoot = readHash(fields[headerIndex.receiptsRoot])
  const number = readNumber(fields[headerIndex.number])
  const timestamp = readNumber(fields[headerIndex.timestamp])
  if (parentHash === null || receiptsRoot === null || number === null || timestamp === null) return null
  return { number, hash: hashBytes(headerRlp), parentHash, timestamp, receiptsRoot, headerRlp }
}

/** The root of the state after a block, as its header has it; null if the bytes are not a header. */
export function readStateRoot(headerRlp: Hex): Hash | null {
  const fields = readRlp(headerRlp)
  return isRlpList(fields) ? readHash(fields[headerIndex.stateRoot]) : null
}

function readHash(field: RlpItem | undefined): Hash | null {
  return typeof field === 'string' ? parseHash(field) : null
}

function readNumber(field: RlpItem | undefined): number | null {
  return typeof field === 'string' ? quantityOfBytes(field) : null
}
