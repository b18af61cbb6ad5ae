import { describeChain } from '../model/chainState.ts'
import type { Clock } from '../model/clock.ts'
import type { IndexWriter } from '../store/indexWriter.ts'
import type { FieldWork } from './fieldWork.ts'
import type { IndexedChain, SyncLog } from './indexedChain.ts'

/** The digest of a chain that was indexed before there were digests, made while the chain is at its head. */
export function createDigestWork(
  writer: Pick<IndexWriter, 'advanceDigest'>,
  { chainId, name }: Pick<IndexedChain, 'chainId' | 'name'>,
  { log, clock }: { readonly log: SyncLog; readonly clock: Clock },
): FieldWork {
  let isDone = false
  let hasWorked = false
  return {
    begin: () => {
      isDone = false
    },
    advance: async (untilMs, signal) => {
      while (!isDone && !signal.aborted && clock.nowMs() < untilMs) {
        isDone = await writer.advanceDigest(chainId)
        if (!isDone && !hasWorked) {
          log('info', `${describeChain(chainId, name)}: making the digest of the stored events`, { chainId })
        }
        hasWorked ||= !isDone
      }
      if (!isDone || !hasWorked) return
      hasWorked = false
      log('info', `${describeChain(chainId, name)}: the digest is complete`, { chainId })
    },
  }
}
