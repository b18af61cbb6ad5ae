import {
  proofFormat,
  proofVersion,
  type ProvenEvent,
  type RecordProof,
} from '@attestry/core/model/recordProof.ts'
import {
  is,
  list,
  membersOf,
  object,
  readAddress,
  readBytes,
  readHash,
  readId,
  readIndex,
  readJson,
  readText,
  Unreadable,
  type Members,
  type Parsed,
} from './proofReaders.ts'

/** A text that is not a proof; `reason` continues a sentence that began with its name: "has no receiptProof". */
export type ParsedProof = Parsed<RecordProof>

/**
 * Parses a proof, alone or in the envelope of its answer. Hexadecimal digits match in any case; unknown members are
 * ignored. The result has the form of a proof; `checkProof` decides whether it proves anything.
 */
export function parseProof(text: string): ParsedProof {
  return readJson(text, (found) => readProof(unwrap(found)))
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
  return proof(found, '')
}

const proof = object<RecordProof>(
  {
    format: is(proofFormat),
    version: is(proofVersion),
    event: readEvent,
    id: readId,
    protocol: readText,
    block: object(
      {
        number: readIndex,
        hash: readHash,
        parentHash: readHash,
        timestamp: readIndex,
        receiptsRoot: readHash,
        headerRlp: readBytes,
      },
      'ignored',
    ),
    transactionIndex: readIndex,
    logIndex: readIndex,
    receiptLogIndex: readIndex,
    receiptProof: list(readBytes),
    log: object({ address: readAddress, topics: list(readBytes), data: readBytes }, 'ignored'),
  },
  'ignored',
)

function readEvent(value: unknown): ProvenEvent {
  if (value === 'schema' || value === 'attestation' || value === 'revocation') return value
  throw new Unreadable('has an event that is none of schema, attestation, revocation')
}
