import type { Address, Hash, Hex } from '../../model/hex.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { finishRecord, type DecodedRecord } from '../abi/decodedRecord.ts'

/** The struct `Attestation` of the registry, the same from v2 to v10; times are Unix seconds. */
export interface VeraxAttestationRecord {
  readonly id: Hash
  readonly schemaId: Hash
  readonly attester: Address
  readonly portal: Address
  readonly attestedDate: bigint
  readonly expirationDate: bigint
  readonly revocationDate: bigint
  /** Of the registry, when it made the attestation. */
  readonly version: number
  readonly revoked: boolean
  readonly subject: Hex
  readonly data: Hex
}

/** The context in the result of `getSchema`, whose struct has four strings: name, description, context, schema. */
export function decodeSchemaContext(returned: Hex): DecodedRecord<{ readonly context: string }> {
  const reader = new AbiReader(returned)
  reader.tail(reader.offset(0))
  const frame = reader.position
  const tails = [reader.offset(frame), reader.offset(frame), reader.offset(frame), reader.offset(frame)]
  const [, , context = ''] = tails.map((tail) => {
    reader.tail(tail)
    return reader.string()
  })
  return finishRecord(reader, { context })
}

/** What the registry says of a portal beside the event of its registration. */
export interface PortalRecord {
  readonly owner: Address
  readonly ownerName: string
  /** Whether its attestations can be revoked. */
  readonly isRevocable: boolean
  readonly modules: readonly Address[]
}

/** Decodes the result of `getPortalByAddress`. */
export function decodePortalRecord(returned: Hex): DecodedRecord<PortalRecord> {
  const reader = new AbiReader(returned)
  reader.tail(reader.offset(0))
  const frame = reader.position
  reader.address()
  const owner = reader.address()
  const modulesTail = reader.offset(frame)
  const isRevocable = reader.bool()
  const tails = [reader.offset(frame), reader.offset(frame), reader.offset(frame)]
  reader.tail(modulesTail)
  const modules: Address[] = []
  for (let rest = reader.count(); rest > 0; rest--) modules.push(reader.address())
  const [, , ownerName = ''] = tails.map((tail) => {
    reader.tail(tail)
    return reader.string()
  })
  return finishRecord(reader, { owner, ownerName, isRevocable, modules })
}

/** Decodes the result of `getAttestation`. */
export function decodeAttestationRecord(returned: Hex): DecodedRecord<VeraxAttestationRecord> {
  const reader = new AbiReader(returned)
  reader.tail(reader.offset(0))
  const frame = reader.position
  const id = reader.hash()
  const schemaId = reader.hash()
  // `replacedBy`: the events say the same, and do not depend on the time of the read.
  reader.hash()
  const attester = reader.address()
  const portal = reader.address()
  const attestedDate = reader.uint64()
  const expirationDate = reader.uint64()
  const revocationDate = reader.uint64()
  const version = Number(reader.integer(16, false))
  const revoked = reader.bool()
  const subjectTail = reader.offset(frame)
  const dataTail = reader.offset(frame)
  reader.tail(subjectTail)
  const subject = reader.bytes()
  reader.tail(dataTail)
  const data = reader.bytes()
  return finishRecord(reader, {
    id,
    schemaId,
    attester,
    portal,
    attestedDate,
    expirationDate,
    revocationDate,
    version,
    revoked,
    subject,
    data,
  })
}
