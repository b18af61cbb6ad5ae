import { checksumAddress } from '../../model/checksumAddress.ts'
import { positionBlock, type Position } from '../../model/position.ts'
import type { AnchorFilter, IndexQueries, StoredAnchor } from '../../store/indexQueries.ts'
import type { Page, PageRequest } from '../../store/indexReader.ts'
import { readFilteredPage } from './readFilteredPage.ts'

/**
 * A page of the off-chain anchors that pass a filter, newest first; `readFilteredPage` documents its cost.
 * @throws BadParameterError
 */
export function pageAnchors(
  queries: IndexQueries,
  filter: AnchorFilter,
  page: PageRequest,
): Promise<Page<StoredAnchor>> {
  return readFilteredPage(
    {
      count: () => queries.countAnchors(filter),
      slice: (range) => queries.sliceAnchors({ ...range, filter }),
    },
    page,
  )
}

/** The members of an anchor in answers (docs/api.md, "Off-chain attestations"). */
export function describeAnchor({
  kind,
  protocol,
  place,
  value,
  account,
  transactionHash,
  reason,
}: StoredAnchor) {
  return {
    type: kind,
    protocol,
    chainId: String(place.chainId),
    value,
    account: account === null ? null : checksumAddress(account),
    timestamp: place.timestamp,
    blockNumber: positionBlock(place.position as Position),
    transactionHash,
    reason,
  }
}
