import type { Address, Hex } from '../../model/hex.ts'
import type { DataLocation } from '../../model/records.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { finishRecord, type DecodedRecord } from '../abi/decodedRecord.ts'

/** The struct `Schema` of the contract. */
export interface SignSchemaRecord {
  readonly registrant: Address
  readonly revocable: boolean
  readonly dataLocation: DataLocation
  readonly maxValidFor: bigint
  readonly hook: Address
  readonly timestamp: bigint
  readonly data: string
}

/** The struct `Attestation` of the contract. */
export interface SignAttestationRecord {
  readonly schemaId: bigint
  readonly linkedAttestationId: bigint
  readonly attestTimestamp: bigint
  readonly revokeTimestamp: bigint
  readonly attester: Address
  readonly validUntil: bigint
  readonly dataLocation: DataLocation
  readonly revoked: boolean
  readonly recipients: readonly Hex[]
  readonly data: Hex
}

/** Decodes the result of `getSchema`. */
export function decodeSchemaRecord(returned: Hex): DecodedRecord<SignSchemaRecord> {
  const reader = new AbiReader(returned)
  reader.tail(reader.offset(0))
  const frame = reader.position
  const registrant = reader.address()
  const revocable = reader.bool()
  const dataLocation = readDataLocation(reader)
  const maxValidFor = reader.uint64()
  const hook = reader.address()
  const timestamp = reader.uint64()
  const dataTail = reader.offset(frame)
  reader.tail(dataTail)
  const data = reader.string()
  return finishRecord(reader, { registrant, revocable, dataLocation, maxValidFor, hook, timestamp, data })
}

/** Decodes the result of `getAttestation`. */
export function decodeAttestationRecord(returned: Hex): DecodedRecord<SignAttestationRecord> {
  const reader = new AbiReader(returned)
  reader.tail(reader.offset(0))
  const frame = reader.position
  const schemaId = reader.uint64()
  const linkedAttestationId = reader.uint64()
  const attestTimestamp = reader.uint64()
  const revokeTimestamp = reader.uint64()
  const attester = reader.address()
  const validUntil = reader.uint64()
  const dataLocation = readDataLocation(reader)
  const revoked = reader.bool()
  const recipientsTail = reader.offset(frame)
  const dataTail = reader.offset(frame)
  reader.tail(recipientsTail)
  const recipients = reader.bytesArray()
  reader.tail(dataTail)
  const data = reader.bytes()
  return finishRecord(reader, {
    schemaId,
    linkedAttestationId,
    attestTimestamp,
    revokeTimestamp,
    attester,
    validUntil,
    dataLocation,
    revoked,
    recipients,
    data,
  })
}

/** The enumeration `DataLocation` in its order. */
const dataLocations: readonly DataLocation[] = ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM']

function readDataLocation(reader: AbiReader): DataLocation {
  return dataLocations[reader.uint8(dataLocations.length - 1)] ?? 'ONCHAIN'
}
