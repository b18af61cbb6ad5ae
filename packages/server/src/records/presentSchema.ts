import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { schemaSummaryJson } from '@attestry/core/model/recordJson.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'

/** Schemas as the endpoints of docs/api.md, "Members", answer them: each function makes the JSON text of one row. */

/** A row of the top and trending lists (#2, #3). */
export function presentRankedSchema(schema: StoredSchema): string {
  return `{${schemaSummaryJson(schema)},"attestationCount":${schema.attestationCount}}`
}

/** A row of the paged listing (#5). */
export function presentSchemaRow(schema: StoredSchema): string {
  return (
    `{${schemaSummaryJson(schema)},"attestationCount":${schema.attestationCount},` +
    `"attesterCount":${schema.attesterCount},"data":${schema.fieldsJson}}`
  )
}

/** A single schema (#6): times are numbers here, `maxValidFor` the double that is nearest to its uint64. */
export function presentSchema(schema: StoredSchema): string {
  return (
    `{${schemaSummaryJson(schema)},"registerTimestamp":${schema.registerTimestamp},"revocable":${schema.revocable},` +
    `"maxValidFor":${Number(schema.maxValidFor)},${contextMember(schema)}"data":${schema.fieldsJson}}`
  )
}

/** Empty where the protocol has no contexts. */
function contextMember({ context }: StoredSchema): string {
  return context === null ? '' : `"context":${JSON.stringify(context)},`
}

/** A row of the schemas that an address registered (#11): times are strings here. */
export function presentRegisteredSchema(schema: StoredSchema): string {
  return (
    `{${schemaSummaryJson(schema)},"revocable":${schema.revocable},"maxValidFor":"${schema.maxValidFor}",` +
    `"resolver":"${checksumAddress(schema.resolver)}","registerTimestamp":"${schema.registerTimestamp}",` +
    `"data":${schema.fieldsJson},"extra":null,"syncAt":"${schema.syncAt}"}`
  )
}

/** A row of the search's schema group (#1). */
export function presentFoundSchema(schema: StoredSchema): string {
  return JSON.stringify({
    id: formatCompositeId(schema.key),
    mode: 'onchain',
    chainType: 'evm',
    chainId: String(schema.key.chainId),
    schemaId: schema.key.localId,
    name: schema.name,
    description: schema.description,
    registrant: checksumAddress(schema.registrant),
  })
}
