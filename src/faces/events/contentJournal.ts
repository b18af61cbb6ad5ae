import type { ContentReads } from '../../model/contentReads.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { ApiContext } from '../apiContext.ts'
import { presentContent } from '../records/presentContent.ts'
import type { FeedChange } from '../../changes/changeFilter.ts'
import type { ChangeJournal, ChangeSlice } from '../../store/indexQueries.ts'
import { isBefore } from './changeMessages.ts'

/** What becomes known of the content behind pointers, as a feed reads it. */
export function createContentJournal(
  reader: Pick<IndexReader, 'findAttestations'>,
  decodePayload: ApiContext['decodePayload'],
  content: ContentReads,
): ChangeJournal<FeedChange> {
  return {
    newestChange: () => content.newestArrival(),
    listChanges: async (after, limit): Promise<ChangeSlice<FeedChange>> => {
      const newest = await content.newestArrival()
      // The place is one of other tables.
      if (isBefore(newest, after)) {
        return { changes: [{ kind: 'reset', place: newest }], next: newest, hasMore: false }
      }
      const arrivals = await content.listArrivals(after, limit)
      const found = await reader.findAttestations(
        arrivals.map(({ record }) => record),
        { detail: true, schema: true },
      )
      // Some of them may have been taken back.
      const known = arrivals.flatMap(({ place }, index) => {
        const attestation = found[index] ?? null
        return attestation === null ? [] : [{ place, attestation }]
      })
      const members = await presentContent(
        known.map(({ attestation }) => attestation),
        decodePayload,
        content,
      )
      return {
        changes: known.map((each, index) => ({ kind: 'content', ...each, memberJson: members[index] ?? '' })),
        next: arrivals.at(-1)?.place ?? after,
        hasMore: arrivals.length === limit,
      }
    },
  }
}
