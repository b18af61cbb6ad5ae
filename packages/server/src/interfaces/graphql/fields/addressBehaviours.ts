import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { everyAttestation, everySchema } from '@attestry/core/index/indexQueries.ts'
import type { AddressStatistics } from '@attestry/core/index/storedRecords.ts'
import { connectionSize } from '../input/readConnection.ts'
import { pageSize, readPage } from '../input/readPage.ts'
import type { RequestContext } from '../requestContext.ts'
import { attestationFieldsFor } from './attestationFieldsFor.ts'
import { activityBehaviour } from './activityBehaviours.ts'
import { connectAttestations, connectSchemas } from './connection.ts'
import type { FieldBehaviour, TypeBehaviour } from './fieldBehaviour.ts'

/** An account in a query. Its statistics are read once, when any is asked for. */
export interface AddressNode {
  readonly address: Address
  statistics(): Promise<AddressStatistics>
}

export function addressNode(address: Address, { reader }: RequestContext): AddressNode {
  let statistics: Promise<AddressStatistics> | undefined
  return { address, statistics: () => (statistics ??= reader.addressStatistics(address)) }
}

export const addressBehaviours = {
  Address: {
    address: ({ address }) => checksumAddress(address),
    schemaCreated: statistic('schemaCreated'),
    totalAttestations: statistic('totalAttestations'),
    attestationCreated: statistic('attestationCreated'),
    attestationReceived: statistic('attestationReceived'),
    schemas: {
      size: connectionSize,
      resolve: ({ address }, values, context) =>
        connectSchemas({ ...everySchema, registrant: address }, values, context),
    },
    attestations: {
      size: pageSize,
      resolve: async ({ address }, values, { reader }, info) => {
        const page = readPage(values)
        const { total, rows } = await reader.listAttestations(
          { address, role: 'either', attester: null, chainId: null, schema: null },
          page,
          attestationFieldsFor(info),
        )
        return { ...page, total, attestations: rows }
      },
    },
    created: {
      size: connectionSize,
      resolve: ({ address }, values, context, info) =>
        connectAttestations({ ...everyAttestation, attester: address }, values, context, info),
    },
    received: {
      size: connectionSize,
      resolve: ({ address }, values, context, info) =>
        connectAttestations(
          { ...everyAttestation, recipient: { kind: 'address', address } },
          values,
          context,
          info,
        ),
    },
    activity: activityBehaviour(({ address }) => ({ kind: 'address', address })),
  },
} satisfies { readonly Address: TypeBehaviour<AddressNode> }

function statistic(name: keyof AddressStatistics): FieldBehaviour<AddressNode> {
  return async (node) => (await node.statistics())[name]
}
