import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { schemaMembers, parseFields } from '@attestry/core/model/recordJson.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { FoundValue } from '@attestry/core/index/indexQueries.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type {
  foundSchema,
  foundValue,
  rankedSchema,
  registeredSchema,
  schemaRow,
  Shown,
  singleSchema,
} from './payloadSchemas.ts'

/** Schemas as the endpoints of docs/api.md, "Members", answer them: each function makes one row. */

/** A row of the top and trending lists (#2, #3). */
export function presentRankedSchema(schema: StoredSchema): Shown<typeof rankedSchema> {
  return { ...schemaMembers(schema), attestationCount: schema.attestationCount }
}

/** A row of the paged listing (#5). */
export function presentSchemaRow(schema: StoredSchema): Shown<typeof schemaRow> {
  const { attestationCount, attesterCount } = schema
  return { ...schemaMembers(schema), attestationCount, attesterCount, data: parseFields(schema.fieldsJson) }
}

/** A single schema (#6): times are numbers here, `maxValidFor` the double that is nearest to its uint64. */
export function presentSchema(schema: StoredSchema): Shown<typeof singleSchema> {
  const { registerTimestamp, revocable, maxValidFor, context } = schema
  return {
    ...schemaMembers(schema),
    registerTimestamp,
    revocable,
    maxValidFor: Number(maxValidFor),
    // null if the protocol has no contexts.
    ...(context === null ? {} : { context }),
    data: parseFields(schema.fieldsJson),
  }
}

/** A row of the schemas that an address registered (#11): times are strings here. */
export function presentRegisteredSchema(schema: StoredSchema): Shown<typeof registeredSchema> {
  const { revocable, maxValidFor, resolver, registerTimestamp, syncAt } = schema
  return {
    ...schemaMembers(schema),
    revocable,
    maxValidFor,
    resolver: checksumAddress(resolver),
    registerTimestamp: String(registerTimestamp),
    data: parseFields(schema.fieldsJson),
    extra: null,
    syncAt: String(syncAt),
  }
}

/** A row of the search's schema group (#1). */
export function presentFoundSchema({
  key,
  name,
  description,
  registrant,
}: StoredSchema): Shown<typeof foundSchema> {
  return {
    id: formatCompositeId(key),
    mode: 'onchain',
    chainType: 'evm',
    chainId: String(key.chainId),
    schemaId: key.localId,
    name,
    description,
    registrant: checksumAddress(registrant),
  }
}

export function presentFoundValue({
  key,
  schemaName,
  path,
  value,
  attestationCount,
}: FoundValue): Shown<typeof foundValue> {
  return {
    id: formatCompositeId(key),
    mode: 'onchain',
    chainType: 'evm',
    chainId: String(key.chainId),
    schemaId: key.localId,
    name: schemaName,
    field: path,
    value,
    attestationCount,
  }
}
