import { parseAddress } from '../../model/hex.ts'
import type { UnixMilliseconds } from '../../model/time.ts'
import type { AttestationFilter } from '../../store/indexQueries.ts'
import { booleanParameter, choiceParameter } from './choiceParameter.ts'
import {
  addressFilterParameter,
  chainIdParameter,
  idFilterParameter,
  schemaIdParameter,
  type Identified,
} from './idParameters.ts'
import { fieldParameter } from './fieldParameter.ts'
import type { ParameterValues } from './parameter.ts'
import { protocolParameter, textParameter } from './textParameters.ts'
import { timeFilterParameter } from './timeParameters.ts'

/** The filters of attestations, which combine (and). */
export const attestationFilterParameters = {
  schemaId: schemaIdParameter,
  attester: addressFilterParameter('attester', 'Only attestations that this account made.'),
  recipient: textParameter(
    'recipient',
    'Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address.',
  ),
  chainId: chainIdParameter,
  protocol: protocolParameter,
  revoked: booleanParameter('revoked', 'Only attestations that were revoked, or that were not.'),
  expired: booleanParameter(
    'expired',
    'Only attestations whose `validUntil` has passed, or has not, by the clock of the server.',
  ),
  validAt: timeFilterParameter(
    'validAt',
    'Only attestations that were valid at a time: made by then, not expired and not revoked.',
  ),
  attestedFrom: timeFilterParameter('attestedFrom', 'Only attestations made at that time or later.'),
  attestedBefore: timeFilterParameter('attestedBefore', 'Only attestations made before that time.'),
  linkedAttestation: idFilterParameter(
    'linkedAttestation',
    'Composite id of an attestation: only those that refer to it.',
  ),
  indexingValue: textParameter(
    'indexingValue',
    'Only attestations with exactly this indexing value; hexadecimal in any case.',
  ),
  dataLocation: choiceParameter({
    name: 'dataLocation',
    description: 'Only attestations whose payload is kept there.',
    choices: ['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM'],
  }),
  // Not `fields`, which is a parameter of its own.
  fieldConditions: fieldParameter,
} as const

export type AttestationFilterValues = ParameterValues<typeof attestationFilterParameters>

/** The filter that every attestation passes. */
export const everyAttestation: AttestationFilter = {
  schema: null,
  attester: null,
  recipient: null,
  chainId: null,
  protocol: null,
  revoked: null,
  expired: null,
  validAt: null,
  attestedFrom: null,
  attestedBefore: null,
  linkedAttestation: null,
  indexingValue: null,
  dataLocation: null,
  fields: [],
}

/**
 * The filter of a request; null if no indexed attestation can pass. `CheckFields` has yet to check its conditions on
 * fields.
 * @param now the clock by which `expired` is decided.
 */
export function attestationFilterOf(
  values: AttestationFilterValues,
  now: () => UnixMilliseconds,
): AttestationFilter | null {
  const { schemaId, chainId, linkedAttestation, recipient, expired } = values
  if (isUnknown(schemaId) || isUnknown(chainId) || isUnknown(linkedAttestation)) return null
  return {
    schema: schemaId?.value ?? null,
    attester: values.attester,
    recipient: recipient === null ? null : recipientOf(recipient),
    chainId: chainId?.value ?? null,
    protocol: values.protocol,
    revoked: values.revoked,
    expired: expired === null ? null : { at: Math.floor(now() / 1000), is: expired },
    validAt: values.validAt,
    attestedFrom: values.attestedFrom,
    attestedBefore: values.attestedBefore,
    linkedAttestation: linkedAttestation?.value ?? null,
    indexingValue: values.indexingValue,
    dataLocation: values.dataLocation,
    fields: values.fieldConditions ?? [],
  }
}

/** A recipient in a client's request. A text that is an address counts as the address. */
export function recipientOf(text: string): NonNullable<AttestationFilter['recipient']> {
  const address = parseAddress(text)
  return address === null ? { kind: 'value', value: text } : { kind: 'address', address }
}

/** Whether an identifier can name no indexed record; a filter by it passes no row. */
export function isUnknown<Value>(
  id: Identified<Value> | null,
): id is Extract<Identified<Value>, { readonly kind: 'unknown' }> {
  return id?.kind === 'unknown'
}
