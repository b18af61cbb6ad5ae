import type { DataLocation } from '../../model/records.ts'
import {
  address,
  bool,
  bytes,
  createDecoder,
  string,
  tail,
  uint64,
  word,
  type RecordOf,
} from '../abi/decodedRecord.ts'

/** The enumeration `DataLocation` in its order. */
const dataLocations: readonly DataLocation[] = ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM']

const dataLocation = word(
  (reader): DataLocation => dataLocations[reader.uint8(dataLocations.length - 1)] ?? 'ONCHAIN',
)

/** Decodes the result of `getSchema`. */
export const decodeSchemaRecord = createDecoder({
  registrant: address,
  revocable: bool,
  dataLocation,
  maxValidFor: uint64,
  hook: address,
  timestamp: uint64,
  data: string,
})

/** The struct `Schema` of the contract. */
export type SignSchemaRecord = RecordOf<typeof decodeSchemaRecord>

/** Decodes the result of `getAttestation`. */
export const decodeAttestationRecord = createDecoder({
  schemaId: uint64,
  linkedAttestationId: uint64,
  attestTimestamp: uint64,
  revokeTimestamp: uint64,
  attester: address,
  validUntil: uint64,
  dataLocation,
  revoked: bool,
  recipients: tail((reader) => reader.bytesArray()),
  data: bytes,
})

/** The struct `Attestation` of the contract. */
export type SignAttestationRecord = RecordOf<typeof decodeAttestationRecord>
