import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { limitSize, readLimit } from '../input/readLimit.ts'
import { activityBehaviour } from './activityBehaviours.ts'
import { connectionSize } from '../input/readConnection.ts'
import { connectAttestations } from './connection.ts'
import type { FieldBehaviour, TypeBehaviour } from './fieldBehaviour.ts'
import type { SchemaNode } from './schemaNode.ts'

const topAttesters = { name: 'limit', minimum: 1, maximum: 100, absent: 10 }

export const schemaBehaviours = {
  Schema: {
    id: { writeJson: ({ key }) => `"${formatCompositeId(key)}"` },
    mode: { writeJson: () => '"onchain"' },
    chainType: { writeJson: () => '"evm"' },
    chainId: { writeJson: ({ key }) => `"${key.chainId}"` },
    schemaId: { writeJson: ({ key }) => `"${key.localId}"` },
    name: { writeJson: ({ summary }) => JSON.stringify(summary.name) },
    description: { writeJson: ({ summary }) => JSON.stringify(summary.description) },
    data: { writeJson: ({ summary }) => JSON.stringify(summary.fieldsJson) },
    // The store wrote it as an array of `{name, type}`.
    fields: ({ summary }) => JSON.parse(summary.fieldsJson) as unknown,
    transactionHash: stored(({ transactionHash }) => `"${transactionHash}"`),
    revocable: stored(({ revocable }) => String(revocable)),
    maxValidFor: stored(({ maxValidFor }) => String(Number(maxValidFor))),
    resolver: stored(({ resolver }) => `"${checksumAddress(resolver)}"`),
    registerTimestamp: stored(({ registerTimestamp }) => String(registerTimestamp)),
    registrant: stored(({ registrant }) => `"${checksumAddress(registrant)}"`),
    protocol: { writeJson: ({ key }) => JSON.stringify(key.protocol) },
    originalData: stored(({ rawText }) => JSON.stringify(rawText)),
    context: stored(({ context }) => JSON.stringify(context)),
    attestationCount: stored(({ attestationCount }) => String(attestationCount)),
    attesterCount: stored(({ attesterCount }) => String(attesterCount)),
    syncAt: stored(({ syncAt }) => `"${syncAt}"`),
    attestations: {
      size: connectionSize,
      resolve: ({ key }, values, context, info) =>
        connectAttestations({ ...everyAttestation, schema: key }, values, context, info),
    },
    topAttesters: {
      size: (values) => limitSize(topAttesters, values),
      resolve: async ({ key }, values, { reader }) => {
        const { rows } = await reader.listTopAttesters(key, readLimit(topAttesters, values))
        return rows.map(({ address, count }) => ({ address: checksumAddress(address), count }))
      },
    },
    activity: activityBehaviour(({ key }) => ({ kind: 'schema', key })),
  },
} satisfies { readonly Schema: TypeBehaviour<SchemaNode> }

/** A field that only the schema itself knows. */
function stored(write: (schema: StoredSchema) => string): FieldBehaviour<SchemaNode> {
  return { writeJson: ({ stored: schema }) => (schema === null ? 'null' : write(schema)) }
}
