import type { DecodedPayload, EncodedPayload } from '../model/decodedPayload.ts'
import { decodeAttestedPayload } from './decodeAttestedPayload.ts'
import { parametersOf } from './decodePayload.ts'
import { easAdapter } from './eas/easAdapter.ts'

/** The field that the index gives to payloads which only lenient decoders read; no Solidity name has parentheses. */
export const lenientField = '(undecodable)'

const lenientPayload: DecodedPayload = {
  kind: 'decoded',
  values: [{ name: lenientField, type: 'bool', value: true }],
}

/**
 * Decodes payloads for the index of fields: as `decodeAttestedPayload`, but a payload of EAS that is no canonical
 * encoding of its schema's fields has `lenientField`. EAS's SDK may still read such a payload, and applications look
 * for what the SDK prints.
 */
export function decodeIndexedPayload(payload: EncodedPayload): DecodedPayload {
  const decoded = decodeAttestedPayload(payload)
  const isLenient =
    decoded.kind === 'undecodable' &&
    payload.protocol === easAdapter.name &&
    payload.fields.length > 0 &&
    typeof parametersOf(payload.fields) !== 'string'
  return isLenient ? lenientPayload : decoded
}
