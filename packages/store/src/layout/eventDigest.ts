import { hash } from 'node:crypto'
import { toldRecipients } from '@attestry/core/model/toldRecipients.ts'
import { isToldWhole, type DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import type { Attestation, Recipient, Schema } from '@attestry/core/model/records.ts'

/**
 * The digest of events (docs/adr/0020): the sum, modulo 2^256, of the SHA-256 hashes of their texts. Addition does not
 * depend on an order. docs/proofs.md documents the texts.
 *
 * Every digest that is shown comes with the version, which is raised whenever the text of any event changes. The layout
 * step that brings a new member of a record then runs `UPDATE chain SET digest_block = NULL, digest_events = NULL,
 * digest = NULL; DELETE FROM chain_digest`. No digest is shown until `attestry verify --repair` makes the digests from
 * the rows. A test fails while a member is neither in a text nor among those left out.
 */
export const digestVersion = 3

/** The digest of no event. */
export const emptyDigest: Uint8Array = new Uint8Array(32)

/** Adds the hashes of events to a digest. */
export function addToDigest(digest: Uint8Array, events: readonly DomainEvent[]): Uint8Array {
  const digits = digitsOf(digest)
  for (const event of events) {
    // A string of one character a byte costs less than a buffer.
    const bytes = hash('sha256', eventText(event), 'latin1')
    for (let index = 0; index < digits.length; index++) {
      digits[index] =
        (digits[index] ?? 0) + bytes.charCodeAt(2 * index) * 256 + bytes.charCodeAt(2 * index + 1)
    }
  }
  return carried(digits)
}

/** The digest of the events of two digests together. */
export function addSums(one: Uint8Array, other: Uint8Array): Uint8Array {
  const digits = digitsOf(one)
  for (const [index, digit] of digitsOf(other).entries()) digits[index] = (digits[index] ?? 0) + digit
  return carried(digits)
}

/** Digits of 16 bits, to be summed up in floating point, which is exact for more events than a chain can have. */
function digitsOf(digest: Uint8Array): Float64Array {
  return Float64Array.from(
    { length: digest.length / 2 },
    (_, index) => (digest[2 * index] ?? 0) * 256 + (digest[2 * index + 1] ?? 0),
  )
}

/** The number with these digits, modulo 2^256. */
function carried(digits: Float64Array): Uint8Array {
  const sum = new Uint8Array(2 * digits.length)
  let carry = 0
  for (let index = digits.length - 1; index >= 0; index--) {
    const digit = (digits[index] ?? 0) + carry
    carry = Math.floor(digit / 2 ** 16)
    sum[2 * index] = (digit >>> 8) & 0xff
    sum[2 * index + 1] = digit & 0xff
  }
  return sum
}

/** A digest, or the hash of one event, as answers show it. */
export function formatSum(digest: Uint8Array): Hash {
  return `0x${Buffer.from(digest).toString('hex')}` as Hash
}

/** The inverse of `formatSum`. */
export function parseSum(text: string): Uint8Array {
  return Buffer.from(text.slice(2), 'hex')
}

/**
 * The content of an event as one text: members in a fixed order, separated by spaces; free text as a JSON string. Two
 * events of one chain have the same text only if they are the same event.
 */
export function eventText(event: DomainEvent): string {
  switch (event.kind) {
    case 'schemaRegistered':
      return schemaText(event.schema)
    case 'attestationMade':
      return attestationText(event.attestation)
    case 'attestationRevoked': {
      const { position, protocol, localId, timestamp, transactionHash, reason } = event
      return `revocation ${position} ${protocol} ${localId} ${timestamp} ${transactionHash} ${JSON.stringify(reason)}`
    }
    case 'schemaNamed':
      return `name ${event.position} ${event.schemaLocalId} ${JSON.stringify(event.name)}`
    case 'anchorMade': {
      const { position, protocol, anchor, account, timestamp, transactionHash, value, reason } = event
      return (
        `anchor ${position} ${protocol} ${anchor} ${account ?? '-'} ${timestamp} ${transactionHash} ` +
        `${JSON.stringify(value)} ${JSON.stringify(reason)}`
      )
    }
    case 'metadataSet': {
      const { position, protocol, of, subject, body } = event
      // The body of the other kinds depends on the time of the read.
      const told = isToldWhole(of) ? ` ${JSON.stringify(body)}` : ''
      return `metadata ${position} ${protocol} ${of} ${subject}${told}`
    }
    case 'undecodableLog': {
      // The reason is this program's.
      const { position, protocol, contract, transactionHash, topics, data } = event
      return `undecodable ${position} ${protocol} ${contract} ${transactionHash} ${topics.join(',')} ${data}`
    }
  }
}

/**
 * The text of a schema. Name and description are in it only if the schema has a context (Verax), since its event
 * carries them. Left out are the rest of `definition`, which follows from the raw text, and `transactionSender`, which
 * is read only if a setting asks for it.
 */
function schemaText(schema: Schema): string {
  const { position, protocol, key, registrant, registerTimestamp, revocable, maxValidFor, resolver } = schema
  const { name, description } = schema.definition
  const told = schema.context === null ? '' : ` ${JSON.stringify(name)} ${JSON.stringify(description)}`
  return (
    `schema ${position} ${protocol} ${key.localId} ${registrant} ${registerTimestamp} ${revocable} ${maxValidFor} ` +
    `${resolver} ${schema.dataLocation} ${schema.transactionHash} ${JSON.stringify(schema.context)} ` +
    `${JSON.stringify(schema.rawText)}${told}`
  )
}

/**
 * Without `transactionSender`, which a setting asks for, and `revocationAtRead`, which depends on the time of the read.
 * Recipients that a projection adds follow from other events. A revocation is part of the digest by its event. The flag
 * `revocable` counts if it is false: rows of earlier layouts lack the flag, and `attestry verify` corrects those of
 * which it is false.
 */
function attestationText(attestation: Attestation): string {
  const { position, protocol, key, schemaLocalId, attester, attestTimestamp, validUntil, data } = attestation
  let text =
    `attestation ${position} ${protocol} ${key.localId} ${schemaLocalId} ${attester} ${attestation.portal ?? '-'} ` +
    `${attestTimestamp} ${attestation.linkedAttestation ?? '-'} ${validUntil} ${attestation.revocable !== false} ${attestation.dataLocation} ` +
    `${attestation.transactionHash} ${data} ${JSON.stringify(attestation.indexingValue)}`
  const { contractVersion, subject } = attestation
  if (contractVersion !== null || subject !== null) text += ` ${contractVersion ?? '-'} ${subject ?? '-'}`
  for (const recipient of toldRecipients(attestation)) text += ` ${recipientText(recipient)}`
  return text
}

/** Bytes are written as their digits: the store does not distinguish them from a text of the same digits. */
function recipientText(recipient: Recipient): string {
  if (recipient.kind === 'address') return recipient.address
  return JSON.stringify(recipient.kind === 'text' ? recipient.text : recipient.bytes)
}
