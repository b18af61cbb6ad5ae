import { checksumAddress } from '../../model/checksumAddress.ts'
import { everySchema } from '../../store/indexQueries.ts'
import type { RowPlace, StoredSchema } from '../../store/storedRecords.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
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

/** The value of a scalar field, as it is answered. */
export function schemaValue(stored: StoredSchema, field: string, index: string): FieldValue {
  switch (field) {
    case 'id':
      return stored.key.localId
    case 'schema':
      return stored.rawText
    case 'creator':
      return checksumAddress(stored.transactionSender ?? stored.registrant)
    case 'resolver':
      return checksumAddress(stored.resolver)
    case 'revocable':
      return stored.revocable
    case 'index':
      return index
    case 'txid':
      return stored.transactionHash
    case 'time':
      return stored.registerTimestamp
    case attestationCountField:
      return stored.attestationCount
    default:
      throw new TypeError(`a schema has no field ${field}`)
  }
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
