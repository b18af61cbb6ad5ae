import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { everySchema } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
import { createValues } from '../protocolGraphql/fieldValues.ts'
import type { EasContext } from './easContext.ts'

/** A schema of the index in the form of easscan. */
export interface SchemaRow {
  readonly stored: StoredSchema
  readonly place: RowPlace
  /** Where it was asked for: its number in the order of registration on its chain, from 1. */
  index?: string
}

/** The field by which schemas are ordered by their number of attestations. */
export const attestationCountField = 'attestations._count'

const ownValue = createValues<StoredSchema>({
  id: ({ key }) => key.localId,
  schema: ({ rawText }) => rawText,
  creator: ({ transactionSender, registrant }) => checksumAddress(transactionSender ?? registrant),
  resolver: ({ resolver }) => checksumAddress(resolver),
  revocable: ({ revocable }) => revocable,
  txid: ({ transactionHash }) => transactionHash,
  time: ({ registerTimestamp }) => registerTimestamp,
  [attestationCountField]: ({ attestationCount }) => attestationCount,
})

/** The value of a scalar field, as it is answered. */
export function schemaValue(stored: StoredSchema, field: string, index: string): FieldValue {
  return field === 'index' ? index : ownValue(stored, field)
}

/**
 * The number of a schema in the order of registration on its chain, from 1: those registered at an earlier time, and
 * those before it at the same time.
 */
export async function schemaIndex(
  context: EasContext,
  { key, registerTimestamp }: StoredSchema,
): Promise<string> {
  const { reader, chain, protocol, countRows } = context
  const ofChain = { ...everySchema, chainId: chain.chainId, protocol: chain.isShared ? protocol.name : null }
  const earlier = await countRows(() =>
    reader.countSchemas({ ...ofChain, registeredBefore: registerTimestamp }),
  )
  const filter = { ...ofChain, registeredFrom: registerTimestamp, registeredBefore: registerTimestamp + 1 }
  const { rows } = await reader.sliceSchemas({ filter, order: 'oldestFirst', after: null, limit: 1_000 })
  return String(earlier + rows.findIndex((row) => row.key.localId === key.localId) + 1)
}
