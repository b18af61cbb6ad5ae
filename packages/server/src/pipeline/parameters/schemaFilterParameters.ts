import { everySchema, type SchemaFilter } from '@attestry/core/index/indexQueries.ts'
import { isUnknown } from './attestationFilterParameters.ts'
import { booleanParameter } from './choiceParameter.ts'
import { addressFilterParameter, chainIdParameter } from './idParameters.ts'
import type { ParameterValues } from './parameter.ts'
import { protocolParameter } from './protocolParameters.ts'
import { sharedMembers } from './sharedMembers.ts'
import { timeFilterParameter } from './timeParameters.ts'

/** The filters of schemas, which combine (and). */
export const schemaFilterParameters = {
  registrant: addressFilterParameter('registrant', 'Only schemas that this account registered.'),
  resolver: addressFilterParameter(
    'resolver',
    'Only schemas with this resolver; all zeros: schemas without a resolver.',
  ),
  chainId: chainIdParameter,
  protocol: protocolParameter,
  revocable: booleanParameter('revocable', 'Only schemas whose attestations can be revoked, or cannot.'),
  registeredFrom: timeFilterParameter('registeredFrom', 'Only schemas registered at that time or later.'),
  registeredBefore: timeFilterParameter('registeredBefore', 'Only schemas registered before that time.'),
} as const

/** The filter of a request; null if no indexed schema can pass. */
export function schemaFilterOf(values: ParameterValues<typeof schemaFilterParameters>): SchemaFilter | null {
  const { chainId } = values
  return isUnknown(chainId)
    ? null
    : { ...sharedMembers(everySchema, values), chainId: chainId?.value ?? null }
}
