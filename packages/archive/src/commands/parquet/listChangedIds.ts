import { StartError } from '@attestry/core/errors/configErrors.ts'
import { parseCompositeId, recordKeyText, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Change, ChangeJournal, ChangePlace } from '@attestry/core/index/indexQueries.ts'

export interface ChangedAttestation {
  readonly key: RecordKey
  /** Whether the first change was that it was made. */
  readonly isNew: boolean
}

/** Changes that the journal lists at once. */
const changesMax = 500

/**
 * The attestations under a schema (null: under any) that changed behind a place, in the order of their first change.
 * The journal bounds their number.
 * @throws StartError if the journal no longer reaches back to the place.
 */
export async function listChangedIds(
  journal: ChangeJournal,
  after: ChangePlace,
  schema: RecordKey | null,
): Promise<readonly ChangedAttestation[]> {
  const changed = new Map<string, ChangedAttestation>()
  let place = after
  for (;;) {
    const { changes, next, hasMore } = await journal.listChanges(place, changesMax)
    for (const change of changes) {
      const record = recordOf(change)
      if (record === null || (schema !== null && !isUnder(record, schema))) continue
      const { key } = record
      const text = recordKeyText(key)
      if (!changed.has(text)) changed.set(text, { key, isNew: change.kind === 'attestation' })
    }
    if (!hasMore) return [...changed.values()]
    place = next
  }
}

interface ChangedRecord {
  readonly key: RecordKey
  /** The local id of the schema. */
  readonly schemaId: string
}

/** null for a change of a schema or an anchor. */
function recordOf(change: Change): ChangedRecord | null {
  switch (change.kind) {
    case 'attestation':
    case 'revocation':
      return change.attestation
    case 'reverted': {
      const { record, summary, protocol } = change
      const parsed = parseCompositeId(summary.id)
      if (record === 'schema' || parsed.kind !== 'record') return null
      return { key: { ...parsed.key, protocol }, schemaId: summary.schemaId }
    }
    case 'schema':
    case 'anchor':
    case 'revertedAnchor':
      return null
    case 'reset':
      throw new StartError(
        'The journal of changes no longer reaches back to the cursor of --since; export without --since once more',
      )
  }
}

function isUnder({ key, schemaId }: ChangedRecord, schema: RecordKey): boolean {
  const protocol = key.protocol ?? null
  const isOfProtocol = protocol === null || protocol === (schema.protocol ?? protocol)
  return isOfProtocol && key.chainId === schema.chainId && schemaId === schema.localId
}
