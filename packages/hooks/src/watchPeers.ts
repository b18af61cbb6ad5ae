import type { ChainId } from '@attestry/core/model/compositeId.ts'

/** What the last comparison of a chain with the index of another operator found. */
export interface PeerState {
  /** The host of the peer. */
  readonly peer: string
  readonly chainId: ChainId
  /** Null: the digests are equal. */
  readonly difference: PeerDifference | null
}

export interface PeerDifference {
  /** The first block at which the digests differ. */
  readonly blockNumber: number
  /** What differs there, in one sentence. */
  readonly text: string
  /** When it was found first, in milliseconds since the epoch. */
  readonly foundAt: number
}

/** A state whose receiver was told otherwise, and what it was told of all peers once it is told; null: there is none. */
export function nextPeerNews(
  states: readonly PeerState[],
  told: readonly string[],
): { readonly state: PeerState; readonly told: readonly string[] } | null {
  for (const state of states) {
    const key = `${state.peer} ${state.chainId}`
    const isDiffering = state.difference !== null
    if (isDiffering === told.includes(key)) continue
    return { state, told: isDiffering ? [...told, key] : told.filter((each) => each !== key) }
  }
  return null
}
