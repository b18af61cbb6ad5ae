import type { Address } from '../../model/hex.ts'
import {
  address,
  bool,
  bytes,
  createDecoder,
  hash,
  string,
  tail,
  uint64,
  word,
  type RecordOf,
} from '../abi/decodedRecord.ts'

/** Decodes the result of `getSchema`. */
export const decodeSchema = createDecoder({
  name: string,
  description: string,
  context: string,
  schema: string,
})

/** Decodes the result of `getPortalByAddress`. */
export const decodePortalRecord = createDecoder({
  id: address,
  owner: address,
  modules: tail((reader) => {
    const modules: Address[] = []
    for (let rest = reader.count(); rest > 0; rest--) modules.push(reader.address())
    return modules
  }),
  /** Whether its attestations can be revoked. */
  isRevocable: bool,
  name: string,
  description: string,
  ownerName: string,
})

/** Decodes the result of `getAttestation`, the same from v2 to v10; times are Unix seconds. */
export const decodeAttestationRecord = createDecoder({
  id: hash,
  schemaId: hash,
  /** The events say the same, and do not depend on the time of the read. */
  replacedBy: hash,
  attester: address,
  portal: address,
  attestedDate: uint64,
  expirationDate: uint64,
  revocationDate: uint64,
  /** Of the registry, when it made the attestation. */
  version: word((reader) => Number(reader.integer(16, false))),
  revoked: bool,
  subject: bytes,
  data: bytes,
})

/** The struct `Attestation` of the registry. */
export type VeraxAttestationRecord = RecordOf<typeof decodeAttestationRecord>
