import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId, formatOffchainId, parseLocalId } from '@attestry/core/model/compositeId.ts'
import { contentIdOfFile } from '@attestry/core/model/contentId.ts'
import { parseAddress, zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import type { OffchainRecord, ReadOffchain } from '@attestry/core/model/offchainRecord.ts'
import type { OffchainEntry } from './offchainStore.ts'

type Read = Extract<ReadOffchain, { readonly kind: 'record' }>

/** When and by whom a text was stored. */
export interface Stored {
  /** Milliseconds since the epoch. */
  readonly storedAt: number
  readonly storedBy: string
}

/**
 * The entry of a record that was read from a text and verified; null for a signed revocation, which is no entry.
 * @param text at most `fileBlockBytesMax` bytes in UTF-8.
 */
export function makeEntry({ record, envelope }: Read, text: string, stored: Stored): OffchainEntry | null {
  const common = { ...stored, signer: record.signer, contentId: contentIdOfFile(utf8ToBytes(text)) }
  if (record.protocol === 'sign') {
    const id = signIdOf(record)
    if (id === null) return null
    return {
      ...common,
      id,
      localId: id,
      kind: id.startsWith('SPS_') ? 'schema' : 'attestation',
      protocol: 'sign',
      chainId: null,
      contract: null,
      schemaId: record.schemaId,
      madeAt: Math.floor(stored.storedAt / 1_000),
      body: { ...bodyOf(record, text), ...readSigned(envelope) },
      revocation: null,
    }
  }
  const { chainId, contract } = record.domain
  const schema = parseLocalId(record.schemaId ?? '')
  if (
    chainId === null ||
    contract === null ||
    record.uid === null ||
    schema === null ||
    record.time === null
  ) {
    throw new TypeError('a record of EAS has a chain, a contract, a uid, a schema and a time')
  }
  return {
    ...common,
    id: formatOffchainId(chainId, record.uid.computed),
    localId: record.uid.computed,
    kind: 'attestation',
    protocol: 'eas',
    chainId,
    contract,
    schemaId: formatCompositeId({ chainId, localId: schema }),
    madeAt: Number(record.time),
    body: bodyOf(record, text),
    revocation: null,
  }
}

/**
 * The id of an attestation (`SPA_…`) or schema (`SPS_…`) of Sign Protocol: the hash of what was signed and of its
 * signer. The same statement of the same signer has the same id, wherever it is stored. Null for a revocation.
 */
export function signIdOf({ kind, hashes, signer }: OffchainRecord): string | null {
  const [signed] = hashes
  if (kind === 'revocation' || signed === undefined) return null
  const hash = keccak_256(concatBytes(signed, hexToBytes(signer.slice(2))))
  return `${kind === 'schema' ? 'SPS' : 'SPA'}_${bytesToHex(hash)}`
}

function bodyOf(record: OffchainRecord, text: string): OffchainEntry['body'] {
  const { payload, recipients, linkedAttestation } = record
  return {
    recipients: recipients
      .map((recipient) => {
        const address = parseAddress(recipient)
        return address === null ? recipient : checksumAddress(address)
      })
      .filter((recipient) => recipient !== zeroAddress),
    indexingValue: '',
    linked: linkedAttestation === null || linkedAttestation === zeroHash ? '' : linkedAttestation,
    validUntil: record.expirationTime ?? '0',
    revocable: record.revocable,
    payload: payload.kind === 'abi' ? payload.data : payload.text,
    text,
  }
}

/** The members that Sign Protocol's signers sign and `OffchainRecord` leaves out. */
function readSigned(envelope: Read['envelope']): {
  readonly indexingValue?: string
  readonly revocable?: boolean
} {
  const { message } = envelope
  if (typeof message !== 'string') return {}
  // `readOffchain` has read the text.
  const { message: signed } = JSON.parse(message) as { readonly message: Readonly<Record<string, unknown>> }
  const { indexingValue, revocable } = signed
  return {
    ...(typeof indexingValue === 'string' ? { indexingValue } : {}),
    ...(typeof revocable === 'boolean' ? { revocable } : {}),
  }
}
