import type { ProtocolName } from '../../model/records.ts'
import type { StoredAttestation } from '../../store/storedRecords.ts'
import { choiceParameter } from '../parameters/choiceParameter.ts'
import type { ApiContext } from '../addEndpoint.ts'
import { presentContent } from '../payloads/presentContent.ts'
import { presentDecodedData } from '../payloads/presentDecodedData.ts'
import { withMembers } from './presentAttestation.ts'

/** What `include` adds to attestations. */
export type Included =
  | 'decoded'
  | 'protocol'
  | 'content'
  | 'decoded,protocol'
  | 'decoded,content'
  | 'protocol,content'
  | 'decoded,protocol,content'

export const includeParameter = choiceParameter<Included>({
  name: 'include',
  description:
    '`decoded`: each attestation carries `decodedData`, its payload decoded by the fields of its schema, or null with ' +
    'the reason in `decodedDataError`. One answer decodes a bounded amount; rows beyond that amount say so. ' +
    '`protocol`: each carries its `protocol`, which tells records of one id apart. `content`: each carries the content behind its pointer, with its state. Several stand in this order, with commas.',
  choices: [
    'decoded',
    'protocol',
    'content',
    'decoded,protocol',
    'decoded,content',
    'protocol,content',
    'decoded,protocol,content',
  ],
})

/** `include` of answers without payloads. */
export const includeProtocolParameter = choiceParameter({
  name: 'include',
  description:
    '`protocol`: each schema and attestation carries its `protocol`, which tells records of one id apart.',
  choices: ['protocol'],
})

/** `presentRow` with the protocol of the record, where `include` asks for it. */
export function presentWith<Row extends { readonly key: { readonly protocol: ProtocolName } }>(
  include: 'protocol' | null,
  presentRow: (row: Row) => string,
): (row: Row) => string {
  if (include === null) return presentRow
  return (row) => withMembers(presentRow(row), protocolMember(row.key))
}

/** The protocol of a record as a member of JSON text; null where it was not kept. */
export function protocolMember({ protocol }: { readonly protocol: ProtocolName | null }): string {
  return `"protocol":${JSON.stringify(protocol)}`
}

export function includesDecoded(include: Included | null): boolean {
  return include?.includes('decoded') === true
}

export function includesProtocol(include: Included | null): boolean {
  return include?.includes('protocol') === true
}

/** Content arrives while the index stays as it is: answers with it are not kept. */
export function includesContent(include: Included | null): boolean {
  return include?.includes('content') === true
}

/** Whether the payloads of rows are needed. */
export function readsPayloads(include: Included | null): boolean {
  return includesDecoded(include) || includesContent(include)
}

/** The members that `include` adds to each of `attestations`, as JSON text. */
export async function presentIncluded(
  attestations: readonly StoredAttestation[],
  include: Included,
  { decodePayload, findContent }: Pick<ApiContext, 'decodePayload' | 'findContent'>,
): Promise<readonly string[]> {
  const decoded = includesDecoded(include) ? await presentDecodedData(attestations, decodePayload) : []
  const content = includesContent(include)
    ? await presentContent(attestations, decodePayload, findContent)
    : []
  return attestations.map(({ key }, index) => {
    const protocol = includesProtocol(include) ? protocolMember(key) : undefined
    return [decoded[index], protocol, content[index]].filter((member) => member !== undefined).join(',')
  })
}
