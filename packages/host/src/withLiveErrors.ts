import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'

/**
 * A reader whose chains show the errors that the indexer of this program could not store. Without it, the index would
 * report a healthy state for ever on a full disk.
 *
 * @param statuses the last status of each chain that the indexer reported.
 */
export function withLiveErrors<Reader extends Pick<IndexReader, 'listChains'>>(
  reader: Reader,
  statuses: () => readonly ChainStatus[],
): Reader {
  return {
    ...reader,
    listChains: async () => {
      const chains = await reader.listChains()
      return chains.map((chain) => {
        const { chainId, updatedAt } = chain.status
        const live = statuses().find((status) => status.chainId === chainId)
        if (live === undefined || live.lastError === null || (live.updatedAt ?? 0) <= (updatedAt ?? 0))
          return chain
        return { ...chain, status: { ...chain.status, phase: live.phase, lastError: live.lastError } }
      })
    },
  }
}
