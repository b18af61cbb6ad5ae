import type { PeerFigures } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import type { ApiSettings } from '@attestry/attestry/apiSettings.ts'

/** The figures of the last comparisons with peers; none where this process does not index. */
export function peerFigures({ peers }: Pick<ApiSettings, 'peers'>): readonly PeerFigures[] {
  return (peers?.() ?? []).map(({ peer, chainId, difference }) => ({
    peer,
    chainId,
    isDiffering: difference !== null,
  }))
}
