import type { DecodedPayload, EncodedPayload } from '../model/decodedPayload.ts'
import { decodePayload } from './decodePayload.ts'
import { findProtocol } from './registry.ts'

/** `decodePayload` in the form that the protocol of the attestation uses. */
export function decodeAttestedPayload(payload: EncodedPayload): DecodedPayload {
  const { protocol, fields, data, dataLocation } = payload
  const adapter = findProtocol(protocol)
  if (adapter === null) {
    return { kind: 'undecodable', reason: `this version knows no protocol ${protocol}` }
  }
  return decodePayload(fields, data, dataLocation, adapter.payloadForm)
}
