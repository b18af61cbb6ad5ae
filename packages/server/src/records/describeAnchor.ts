import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { StoredAnchor } from '@attestry/core/index/storedRecords.ts'

/** The members of an anchor in answers (docs/offchain.md, "Anchors"). */
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
