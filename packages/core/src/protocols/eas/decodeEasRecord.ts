import {
  address,
  bool,
  bytes,
  createDecoder,
  hash,
  string,
  uint64,
  type RecordOf,
} from '../abi/decodedRecord.ts'

/** Decodes the result of `getSchema`; the data of `Registered` with a record has the same form. */
export const decodeSchemaRecord = createDecoder({
  uid: hash,
  resolver: address,
  revocable: bool,
  schema: string,
})

/** The struct `SchemaRecord` of the registry. */
export type EasSchemaRecord = RecordOf<typeof decodeSchemaRecord>

/** Decodes the result of `getAttestation`; times are Unix seconds. */
export const decodeAttestationRecord = createDecoder({
  uid: hash,
  schema: hash,
  time: uint64,
  expirationTime: uint64,
  revocationTime: uint64,
  refUID: hash,
  recipient: address,
  attester: address,
  revocable: bool,
  data: bytes,
})

/** The struct `Attestation` of the EAS contract. */
export type EasAttestationRecord = RecordOf<typeof decodeAttestationRecord>
