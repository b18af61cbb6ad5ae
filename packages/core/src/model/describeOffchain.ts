import { checksumAddress } from './checksumAddress.ts'
import { parseAddress } from './hex.ts'
import type { OffchainRecord } from './offchainRecord.ts'

/** The content of an off-chain attestation, as answers show it; all members are null if the input cannot be read. */
export interface OffchainContent {
  readonly protocol: OffchainRecord['protocol'] | null
  readonly uid: string | null
  readonly signer: string | null
  readonly chainId: string | null
  readonly schemaId: string | null
  /** The only recipient; null without one, or with several. */
  readonly recipient: string | null
  readonly recipients: readonly string[]
  readonly time: string | null
  readonly expirationTime: string | null
  readonly linkedAttestation: string | null
}

/** @param record null if the input cannot be read. */
export function describeOffchain(record: OffchainRecord | null): OffchainContent {
  const recipients = (record?.recipients ?? []).map(showRecipient)
  return {
    protocol: record?.protocol ?? null,
    uid: record?.uid?.stated ?? null,
    signer: record === null ? null : checksumAddress(record.signer),
    chainId: record?.domain.chainId == null ? null : String(record.domain.chainId),
    schemaId: record?.schemaId ?? null,
    recipient: recipients.length === 1 ? (recipients[0] ?? null) : null,
    recipients,
    time: record?.time ?? null,
    expirationTime: record?.expirationTime ?? null,
    linkedAttestation: record?.linkedAttestation ?? null,
  }
}

function showRecipient(recipient: string): string {
  const address = parseAddress(recipient)
  return address === null ? recipient : checksumAddress(address)
}
