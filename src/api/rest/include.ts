import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { StoredAttestation } from '../../store/indexReader.ts'
import { choiceParameter } from '../parameters/choiceParameter.ts'
import { presentDecodedData } from '../payloads/presentDecodedData.ts'

/** What `include` adds to attestations. */
export type Included = 'decoded' | 'protocol' | 'decoded,protocol'

export const includeParameter = choiceParameter<Included>({
  name: 'include',
  description:
    '`decoded`: each attestation carries `decodedData`, its payload decoded by the fields of its schema, or null with ' +
    'the reason in `decodedDataError`. One answer decodes a bounded amount; rows beyond that amount say so. ' +
    '`protocol`: each carries its `protocol`, which tells records of one id apart. `decoded,protocol`: both.',
  choices: ['decoded', 'protocol', 'decoded,protocol'],
})

export function includesDecoded(include: Included | null): boolean {
  return include !== null && include !== 'protocol'
}

/** The members that `include` adds to each of `attestations`, as JSON text. */
export async function presentIncluded(
  attestations: readonly StoredAttestation[],
  include: Included,
  decodePayload: DecodePayload,
): Promise<readonly string[]> {
  const decoded = includesDecoded(include) ? await presentDecodedData(attestations, decodePayload) : null
  if (include === 'decoded') return decoded ?? []
  return attestations.map(({ key }, index) => {
    const protocol = `"protocol":"${key.protocol}"`
    return decoded === null ? protocol : `${decoded[index] ?? ''},${protocol}`
  })
}
