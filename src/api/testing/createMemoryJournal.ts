import { attestationDetailJson, attestationSummaryJson } from '../../model/recordJson.ts'
import type { Attestation } from '../../model/records.ts'
import type { Change, ChangeJournal, ChangePlace } from '../../store/indexQueries.ts'

/** A journal over an array, for tests of what the API makes of changes. */
export interface MemoryJournal extends ChangeJournal {
  /** Adds changes behind the others. */
  add(...changes: readonly Unplaced[]): void
  /** Moves with every addition, as the index version does. */
  version(): number
  /** How often changes were asked for. */
  readonly readCount: number
}

/** A change before the journal gives it its place. */
type Unplaced = Change extends infer Each ? (Each extends Change ? Omit<Each, 'place'> : never) : never

const firstSequence = 100

export function createMemoryJournal(): MemoryJournal {
  const changes: Change[] = []
  let readCount = 0
  const newest = (): ChangePlace => changes.at(-1)?.place ?? { sequence: firstSequence, offset: 0 }
  return {
    add: (...added) => {
      for (const change of added) {
        const { sequence, offset } = newest()
        // Two changes to a sequence number, as a batch of blocks would have.
        const place = offset === 0 ? { sequence, offset: 1 } : { sequence: sequence + 1, offset: 0 }
        changes.push({ ...change, place })
      }
    },
    version: () => changes.length,
    get readCount() {
      return readCount
    },
    newestChange: () => Promise.resolve(newest()),
    listChanges: (after, limit) => {
      readCount++
      const end = newest()
      if (after.sequence < firstSequence || after.sequence > end.sequence) {
        return Promise.resolve({ changes: [{ kind: 'reset', place: end }], next: end, hasMore: false })
      }
      const behind = changes.filter(
        ({ place }) =>
          place.sequence > after.sequence ||
          (place.sequence === after.sequence && place.offset > after.offset),
      )
      const found = behind.slice(0, limit)
      const hasMore = behind.length > limit
      return Promise.resolve({ changes: found, next: found.at(-1)?.place ?? end, hasMore })
    },
  }
}

/** The change that an attestation was made. */
export function madeChange(
  attestation: Attestation,
): Omit<Extract<Change, { readonly kind: 'attestation' | 'revocation' }>, 'place'> {
  const { key, schemaLocalId } = attestation
  return {
    kind: 'attestation',
    attestation: {
      key,
      protocol: attestation.protocol,
      summaryJson: attestationSummaryJson(attestation),
      detailJson: attestationDetailJson(attestation),
      revocation: null,
      transactionSender: null,
      syncAt: 1,
      lastSyncAt: null,
      schema: {
        key: { chainId: key.chainId, localId: schemaLocalId },
        name: 'Schema',
        description: '',
        fieldsJson: '[]',
      },
    },
  }
}
