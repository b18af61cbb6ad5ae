import type { ChainDoubt, NeededRecord } from '@attestry/core/model/chainDoubt.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { protocolsOfId } from '@attestry/core/model/protocolNames.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'

/**
 * Why what is indexed of a schema is not enough for an answer. The schema is looked up only if that decides: an unknown id
 * may be of a protocol that the chain is not indexed for.
 */
export async function findSchemaDoubt(
  reader: Pick<PastReader, 'findSchema'>,
  key: RecordKey,
  judge: (record: NeededRecord) => ChainDoubt | null,
): Promise<ChainDoubt | null> {
  const protocols = protocolsOfId(key, 'schema')
  const [unknown, known] = [false, true].map((isIndexed) => judge({ protocols, isIndexed }))
  if (JSON.stringify(unknown) === JSON.stringify(known)) return known ?? null
  return ((await reader.findSchema(key)) === null ? unknown : known) ?? null
}
