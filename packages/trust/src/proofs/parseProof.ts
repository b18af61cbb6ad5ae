import { formatCompositeId, parseCompositeId, type CompositeId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, parseHash, parseHex, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import {
  proofFormat,
  proofVersion,
  type ProvenBlock,
  type ProvenEvent,
  type ProvenLog,
  type RecordProof,
} from '@attestry/core/model/recordProof.ts'

/** A text that is not a proof; `reason` continues a sentence that began with its name: "has no receiptProof". */
export type ParsedProof =
  | { readonly kind: 'proof'; readonly proof: RecordProof }
  | { readonly kind: 'none'; readonly reason: string }

type Members = Readonly<Record<string, unknown>>

/** Thrown within this module at the first invalid member. */
class Unreadable extends Error {}

/**
 * Parses a proof, alone or in the envelope of its answer. Hexadecimal digits match in any case; unknown members are
 * ignored. The result has the form of a proof; `checkProof` decides whether it proves anything.
 */
export function parseProof(text: string): ParsedProof {
  try {
    return { kind: 'proof', proof: readProof(unwrap(parseJson(text))) }
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'none', reason: error.message }
    throw error
  }
}

function parseJson(text: string): Members {
  try {
    return membersOf(JSON.parse(text), null)
  } catch {
    throw new Unreadable('is no JSON object')
  }
}

/** The proof in an envelope, or the object itself. An envelope without a proof is an answer with the reason. */
function unwrap(found: Members): Members {
  if ('format' in found || !('success' in found)) return found
  if (found['success'] === true) return membersOf(found['data'], 'data')
  throw new Unreadable(`is an answer without a proof: ${String(found['message']).slice(0, 300)}`)
}

function readProof(found: Members): RecordProof {
  if (found['format'] !== proofFormat) throw new Unreadable(`has no "format": "${proofFormat}"`)
  if (found['version'] !== proofVersion) throw new Unreadable(`has another version than ${proofVersion}`)
  return {
    format: proofFormat,
    version: proofVersion,
    event: readEvent(found['event']),
    id: readId(found['id']),
    protocol: readText(found['protocol'], 'protocol'),
    block: readBlock(membersOf(found['block'], 'block')),
    transactionIndex: readIndex(found['transactionIndex'], 'transactionIndex'),
    logIndex: readIndex(found['logIndex'], 'logIndex'),
    receiptLogIndex: readIndex(found['receiptLogIndex'], 'receiptLogIndex'),
    receiptProof: listOf(found['receiptProof'], 'receiptProof').map((node) =>
      readBytes(node, 'receiptProof'),
    ),
    log: readLog(membersOf(found['log'], 'log')),
  }
}

function readBlock(found: Members): ProvenBlock {
  return {
    number: readIndex(found['number'], 'block.number'),
    hash: readHash(found['hash'], 'block.hash'),
    parentHash: readHash(found['parentHash'], 'block.parentHash'),
    timestamp: readIndex(found['timestamp'], 'block.timestamp'),
    receiptsRoot: readHash(found['receiptsRoot'], 'block.receiptsRoot'),
    headerRlp: readBytes(found['headerRlp'], 'block.headerRlp'),
  }
}

function readLog(found: Members): ProvenLog {
  const address = parseAddress(readText(found['address'], 'log.address'))
  if (address === null) throw new Unreadable('has no address in log.address')
  return {
    address,
    topics: listOf(found['topics'], 'log.topics').map((topic) => readBytes(topic, 'log.topics')),
    data: readBytes(found['data'], 'log.data'),
  }
}

function readEvent(value: unknown): ProvenEvent {
  if (value === 'schema' || value === 'attestation' || value === 'revocation') return value
  throw new Unreadable('has an event that is none of schema, attestation, revocation')
}

function readId(value: unknown): CompositeId {
  const id = parseCompositeId(readText(value, 'id'))
  if (id.kind !== 'record') throw new Unreadable('has no composite id in id')
  return formatCompositeId(id.key)
}

function readText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Unreadable(`has no text in ${name}`)
  return value
}

function readIndex(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new Unreadable(`has no whole number in ${name}`)
  }
  return value
}

function readHash(value: unknown, name: string): Hash {
  const hash = parseHash(readText(value, name))
  if (hash === null) throw new Unreadable(`has no hash in ${name}`)
  return hash
}

function readBytes(value: unknown, name: string): Hex {
  const bytes = parseHex(readText(value, name))
  if (bytes === null) throw new Unreadable(`has no 0x bytes in ${name}`)
  return bytes
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Unreadable(`has no list in ${name}`)
  return value
}

function membersOf(value: unknown, name: string | null): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Unreadable(name === null ? 'is no JSON object' : `has no object in ${name}`)
  }
  // An object of JSON has no other keys than text.
  return value as Members
}
