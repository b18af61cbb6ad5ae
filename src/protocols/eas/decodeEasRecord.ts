import type { Address, Hash, Hex } from '../../model/hex.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { finishRecord, type DecodedRecord } from '../abi/decodedRecord.ts'

/** The struct `SchemaRecord` of the registry. */
export interface EasSchemaRecord {
  readonly uid: Hash
  readonly resolver: Address
  readonly revocable: boolean
  readonly schema: string
}

/** The struct `Attestation` of the EAS contract; times are Unix seconds. */
export interface EasAttestationRecord {
  readonly uid: Hash
  readonly schema: Hash
  readonly time: bigint
  readonly expirationTime: bigint
  readonly revocationTime: bigint
  readonly refUID: Hash
  readonly recipient: Address
  readonly attester: Address
  readonly revocable: boolean
  readonly data: Hex
}

/** Decodes the result of `getSchema`; the data of `Registered` with a record has the same form. */
export function decodeSchemaRecord(encoded: Hex): DecodedRecord<EasSchemaRecord> {
  const reader = new AbiReader(encoded)
  reader.tail(reader.offset(0))
  const frame = reader.position
  const uid = reader.hash()
  const resolver = reader.address()
  const revocable = reader.bool()
  reader.tail(reader.offset(frame))
  const schema = reader.string()
  return finishRecord(reader, { uid, resolver, revocable, schema })
}

/** Decodes the result of `getAttestation`. */
export function decodeAttestationRecord(encoded: Hex): DecodedRecord<EasAttestationRecord> {
  const reader = new AbiReader(encoded)
  reader.tail(reader.offset(0))
  const frame = reader.position
  const uid = reader.hash()
  const schema = reader.hash()
  const time = reader.uint64()
  const expirationTime = reader.uint64()
  const revocationTime = reader.uint64()
  const refUID = reader.hash()
  const recipient = reader.address()
  const attester = reader.address()
  const revocable = reader.bool()
  reader.tail(reader.offset(frame))
  const data = reader.bytes()
  return finishRecord(reader, {
    uid,
    schema,
    time,
    expirationTime,
    revocationTime,
    refUID,
    recipient,
    attester,
    revocable,
    data,
  })
}
