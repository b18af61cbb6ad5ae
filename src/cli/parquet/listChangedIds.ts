import { StartError } from '../../errors/configErrors.ts'
import { parseCompositeId, recordKeyText, type RecordKey } from '../../model/compositeId.ts'
import type { Change, ChangeJournal, ChangePlace } from '../../store/indexQueries.ts'

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
 * @throws StartError where the journal no longer reaches back to the place.
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
      const summary = summaryOf(change)
      if (summary === null || (schema !== null && !isUnder(summary, schema))) continue
      const parsed = parseCompositeId(summary.id)
      if (parsed.kind !== 'record') continue
      const key = { ...parsed.key, protocol: summary.protocol }
      const text = recordKeyText(key)
      if (!changed.has(text)) changed.set(text, { key, isNew: change.kind === 'attestation' })
    }
    if (!hasMore) return [...changed.values()]
    place = next
  }
}

/** The members of an attestation's summary that are needed here. */
interface Summary {
  readonly id: string
  readonly chainId: string
  /** The local id of the schema. */
  readonly schemaId: string
  readonly protocol: string | null
}

/** null for a change of a schema or an anchor. */
function summaryOf(change: Change): Summary | null {
  switch (change.kind) {
    case 'attestation':
    case 'revocation':
      return parseSummary(change.attestation.summaryJson, change.attestation.key.protocol)
    case 'reverted':
      return change.record === 'schema' ? null : parseSummary(change.summaryJson, change.protocol)
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

function parseSummary(summaryJson: string, protocol: string | null): Summary {
  // Our own store made the text.
  return { ...(JSON.parse(`{${summaryJson}}`) as Omit<Summary, 'protocol'>), protocol }
}

function isUnder({ chainId, schemaId, protocol }: Summary, schema: RecordKey): boolean {
  const isOfProtocol = protocol === null || protocol === (schema.protocol ?? protocol)
  return isOfProtocol && chainId === String(schema.chainId) && schemaId === schema.localId
}
