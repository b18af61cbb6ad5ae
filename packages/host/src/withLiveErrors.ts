import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'

/**
 * A reader whose chains show the errors of the indexer in this program, where it could not store them: on a full disk
 * the index would say for ever that all is well.
 *
 * @param statuses what the indexer told last of each chain.
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
