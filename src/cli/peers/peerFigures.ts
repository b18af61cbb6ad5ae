import type { PeerFigures } from '../../http/metrics/createMetrics.ts'
import type { ApiSettings } from '../apiSettings.ts'

/** The figures of the last comparisons with peers; none where this process does not index. */
export function peerFigures({ peers }: Pick<ApiSettings, 'peers'>): readonly PeerFigures[] {
  return (peers?.() ?? []).map(({ peer, chainId, difference }) => ({
    peer,
    chainId,
    isDiffering: difference !== null,
  }))
}
