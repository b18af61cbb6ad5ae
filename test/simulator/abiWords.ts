import type { TrueVeraxPortal } from './trueRecords.ts'

/**
 * ABI encoding by hand, as text without `0x`: the simulator answers hundreds of thousands of reads in a benchmark, and
 * a general encoder would be the slowest part of it. Written apart from the program's decoders, so that they test each
 * other.
 */

/** A 32-byte word holding an unsigned number or an address's digits. */
export function word(value: number | bigint | string): string {
  return (typeof value === 'string' ? value : value.toString(16)).padStart(64, '0')
}

/** The length and the padded bytes of a dynamic value. `digits` is hexadecimal without `0x`. */
export function tail(digits: string): string {
  const padded = Math.ceil(digits.length / 64) * 64
  return word(digits.length / 2) + digits.padEnd(padded, '0')
}

export function utf8Digits(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex')
}

/** `abi.encode(string)`. */
export function encodeString(text: string): string {
  return word(32) + tail(utf8Digits(text))
}

export interface SchemaStruct {
  readonly registrant: string
  readonly revocable: boolean
  readonly dataLocation: number
  readonly maxValidFor: bigint
  readonly hook: string
  readonly timestamp: number
  readonly data: string
}

/** The return data of `getSchema(uint64)`. */
export function encodeSchema(schema: SchemaStruct): string {
  return (
    word(32) +
    word(schema.registrant) +
    word(schema.revocable ? 1 : 0) +
    word(schema.dataLocation) +
    word(schema.maxValidFor) +
    word(schema.hook) +
    word(schema.timestamp) +
    word(7 * 32) +
    tail(utf8Digits(schema.data))
  )
}

export interface AttestationStruct {
  readonly schemaId: number
  readonly linkedAttestationId: number
  readonly attestTimestamp: number
  readonly revokeTimestamp: number
  readonly attester: string
  readonly validUntil: bigint
  readonly dataLocation: number
  readonly revoked: boolean
  /** Each hexadecimal without `0x`. */
  readonly recipients: readonly string[]
  readonly data: string
}

/** The return data of `getAttestation(uint64)`. */
export function encodeAttestation(attestation: AttestationStruct): string {
  const items = attestation.recipients.map(tail)
  let offset = items.length * 32
  let recipients = word(items.length)
  for (const item of items) {
    recipients += word(offset)
    offset += item.length / 2
  }
  recipients += items.join('')
  return (
    word(32) +
    word(attestation.schemaId) +
    word(attestation.linkedAttestationId) +
    word(attestation.attestTimestamp) +
    word(attestation.revokeTimestamp) +
    word(attestation.attester) +
    word(attestation.validUntil) +
    word(attestation.dataLocation) +
    word(attestation.revoked ? 1 : 0) +
    word(10 * 32) +
    word(10 * 32 + recipients.length / 2) +
    recipients +
    tail(attestation.data)
  )
}

/** The calls of `aggregate3((address,bool,bytes)[])` from its calldata without the selector. */
export function decodeAggregate3(digits: string): { to: string; data: string }[] {
  const number = (at: number) => Number.parseInt(digits.slice(at * 2, at * 2 + 64), 16)
  const list = number(0)
  const count = number(list)
  const calls: { to: string; data: string }[] = []
  for (let i = 0; i < count; i++) {
    const call = list + 32 + number(list + 32 + i * 32)
    const to = digits.slice(call * 2 + 24, call * 2 + 64)
    const bytes = call + number(call + 64)
    const length = number(bytes)
    calls.push({ to, data: digits.slice((bytes + 32) * 2, (bytes + 32 + length) * 2) })
  }
  return calls
}

/** The return data of `aggregate3`. */
export function encodeAggregate3(results: readonly { success: boolean; data: string }[]): string {
  const items = results.map((result) => word(result.success ? 1 : 0) + word(64) + tail(result.data))
  let offset = items.length * 32
  let heads = ''
  for (const item of items) {
    heads += word(offset)
    offset += item.length / 2
  }
  return word(32) + word(items.length) + heads + items.join('')
}

export interface EasSchemaStruct {
  /** 64 digits. */
  readonly uid: string
  readonly resolver: string
  readonly revocable: boolean
  readonly schema: string
}

/** The return data of the registry's `getSchema(bytes32)`, which is also the data of `Registered` with a record. */
export function encodeEasSchema({ uid, resolver, revocable, schema }: EasSchemaStruct): string {
  return (
    word(32) + word(uid) + word(resolver) + word(revocable ? 1 : 0) + word(4 * 32) + tail(utf8Digits(schema))
  )
}

export interface EasAttestationStruct {
  readonly uid: string
  readonly schema: string
  readonly time: number
  readonly expirationTime: bigint
  readonly revocationTime: number
  readonly refUid: string
  readonly recipient: string
  readonly attester: string
  readonly revocable: boolean
  readonly data: string
}

/** The return data of `getAttestation(bytes32)`. */
export function encodeEasAttestation(attestation: EasAttestationStruct): string {
  return (
    word(32) +
    word(attestation.uid) +
    word(attestation.schema) +
    word(attestation.time) +
    word(attestation.expirationTime) +
    word(attestation.revocationTime) +
    word(attestation.refUid) +
    word(attestation.recipient) +
    word(attestation.attester) +
    word(attestation.revocable ? 1 : 0) +
    word(10 * 32) +
    tail(attestation.data)
  )
}

export interface VeraxAttestationStruct {
  /** 64 digits. */
  readonly id: string
  readonly schema: string
  readonly replacedBy: string
  readonly attester: string
  readonly portal: string
  readonly attestedDate: number
  readonly expirationDate: bigint
  readonly revocationDate: number
  readonly subject: string
  readonly data: string
}

/** The return data of the getter of Verax, `getAttestation(bytes32)`. */
export function encodeVeraxAttestation(attestation: VeraxAttestationStruct): string {
  const subject = tail(attestation.subject)
  return (
    word(32) +
    word(attestation.id) +
    word(attestation.schema) +
    word(attestation.replacedBy) +
    word(attestation.attester) +
    word(attestation.portal) +
    word(attestation.attestedDate) +
    word(attestation.expirationDate) +
    word(attestation.revocationDate) +
    word(veraxVersion) +
    word(attestation.revocationDate > 0 ? 1 : 0) +
    word(12 * 32) +
    word(12 * 32 + subject.length / 2) +
    subject +
    tail(attestation.data)
  )
}

/** The version of a registry that emits an event for every attestation. */
export const veraxVersion = 9

/** The return data of the getter of Verax, `getSchema(bytes32)`: a struct of four strings. */
export function encodeVeraxSchema(texts: readonly string[]): string {
  return word(32) + encodeStrings(texts)
}

/** The return data of `getPortalByAddress(address)`. */
export function encodeVeraxPortal(portal: TrueVeraxPortal): string {
  const modules = word(portal.modules.length) + portal.modules.map(word).join('')
  const texts = [portal.name, portal.description, portal.ownerName].map((text) => tail(utf8Digits(text)))
  const tails = [modules, ...texts]
  let offset = 7 * 32
  const offsets = tails.map((each) => {
    const at = word(offset)
    offset += each.length / 2
    return at
  })
  const [ofModules = '', ...ofTexts] = offsets
  return (
    word(32) +
    word(portal.portal) +
    word(portal.owner) +
    ofModules +
    word(portal.isRevocable ? 1 : 0) +
    ofTexts.join('') +
    tails.join('')
  )
}

/** The data of `PortalRegistered`: name, description and portal. */
export function encodePortalRegistered({ name, description, portal }: TrueVeraxPortal): string {
  const [first, second] = [name, description].map((text) => tail(utf8Digits(text))) as [string, string]
  return word(96) + word(96 + first.length / 2) + word(portal) + first + second
}

/** The data of `SchemaCreated`: four strings. */
export function encodeStrings(texts: readonly string[]): string {
  const tails = texts.map((text) => tail(utf8Digits(text)))
  let offset = texts.length * 32
  let heads = ''
  for (const each of tails) {
    heads += word(offset)
    offset += each.length / 2
  }
  return heads + tails.join('')
}
