import type { ContentArrival, ContentReads } from '@attestry/core/model/contentReads.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ApiContext } from '../../apiContext.ts'
import { findContent, pointersOf } from '../../records/presentContent.ts'
import type { ContentChange, FeedChange } from '@attestry/core/changes/changeFilter.ts'
import type { ChangeJournal, ChangeSlice } from '@attestry/core/index/indexQueries.ts'
import { isBefore } from './changeMessages.ts'

/** Characters of content of one slice, unless one content has more. */
const charactersMax = 256 * 1024

/** Records that are read at once; strangers choose the length of each. */
const recordsAtOnce = 10

/** A journal of the content that arrives for pointers of records, for a feed. */
export function createContentJournal(
  reader: Pick<PastReader, 'findAttestations'>,
  decodePayload: ApiContext['decodePayload'],
  content: ContentReads,
): ChangeJournal<FeedChange> {
  /** The changes of arrivals, as far as their content has about so many bytes; `next`: how many arrivals that are. */
  async function readArrivals(
    arrivals: readonly ContentArrival[],
    total: number,
  ): Promise<{ readonly changes: readonly ContentChange[]; readonly next: number }> {
    const found = await reader.findAttestations(
      arrivals.map(({ record }) => record),
      { detail: true, schema: true },
    )
    // Some of them may have been reverted.
    const known = arrivals.flatMap(({ place }, index) => {
      const attestation = found[index] ?? null
      return attestation === null ? [] : [{ place, attestation, index }]
    })
    const named = pointersOf(
      known.map(({ attestation }) => attestation),
      decodePayload,
    )
    const contents = await findContent(named, content, { total })
    const changes: ContentChange[] = []
    for (const [order, { place, attestation, index }] of known.entries()) {
      const one = contents[order] ?? null
      // It comes with the next slice.
      if (one?.isLeftOut === true) return { changes, next: index }
      changes.push({ kind: 'content', place, attestation, content: one })
    }
    return { changes, next: arrivals.length }
  }

  return {
    newestChange: () => content.newestArrival(),
    listChanges: async (after, limit): Promise<ChangeSlice<FeedChange>> => {
      const newest = await content.newestArrival()
      // The place is one of other tables.
      if (isBefore(newest, after)) {
        return { changes: [{ kind: 'reset', place: newest }], next: newest, hasMore: false }
      }
      const arrivals = await content.listArrivals(after, limit)
      const changes: FeedChange[] = []
      let characters = 0
      let told = 0
      while (told < arrivals.length && characters < charactersMax) {
        const some = arrivals.slice(told, told + recordsAtOnce)
        const { changes: known, next } = await readArrivals(some, charactersMax - characters)
        for (const change of known) characters += change.content?.json?.length ?? 0
        changes.push(...known)
        told += next
      }
      return {
        changes,
        next: arrivals[told - 1]?.place ?? after,
        hasMore: told < arrivals.length || arrivals.length === limit,
      }
    },
  }
}
