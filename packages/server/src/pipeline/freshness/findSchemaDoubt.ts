import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { feedbackSchemaId, validationSchemaId } from '@attestry/core/model/agents.ts'
import type { ChainDoubt, NeededRecord } from '@attestry/core/model/chainDoubt.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { protocolsOfId } from '@attestry/core/model/protocolNames.ts'

type Judge = (record: NeededRecord) => ChainDoubt | null

/** The doubt about a record, where that does not depend on whether the index has it; else both. */
export type RecordDoubt =
  | { readonly kind: 'settled'; readonly doubt: ChainDoubt | null }
  | { readonly kind: 'open'; readonly unknown: ChainDoubt | null; readonly known: ChainDoubt | null }

export function judgeRecord(protocols: NeededRecord['protocols'], judge: Judge): RecordDoubt {
  const unknown = judge({ protocols, isIndexed: false })
  // A record that is indexed gives no reason to doubt beyond those of an unknown one.
  if (unknown === null) return { kind: 'settled', doubt: null }
  const known = judge({ protocols, isIndexed: true })
  return JSON.stringify(unknown) === JSON.stringify(known)
    ? { kind: 'settled', doubt: known }
    : { kind: 'open', unknown, known }
}

/**
 * Why what is indexed of a schema is not enough for an answer. The schema is looked up only if that decides: an unknown id
 * may be of a protocol that the chain is not indexed for.
 */
export async function findSchemaDoubt(
  reader: Pick<PastReader, 'findSchema'>,
  key: RecordKey,
  judge: Judge,
): Promise<ChainDoubt | null> {
  const judged = judgeRecord(protocolsOfId(key, 'schema'), judge)
  if (judged.kind === 'settled') return judged.doubt
  return isFixed(key) || (await reader.findSchema(key)) === null ? judged.unknown : judged.known
}

/** Whether a schema is older than all blocks: those of ERC-8004 are registered nowhere. */
export function isFixed({ localId }: RecordKey): boolean {
  return localId === feedbackSchemaId || localId === validationSchemaId
}
