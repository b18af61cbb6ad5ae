/**
 * Concurrent commits of one chain, in order. Invariant: the second begins after the first has succeeded, because a
 * store without a checkpoint accepts any block as the first. Later the store itself refuses commits that follow a
 * failed one.
 */
export interface CommitQueue {
  /**
   * Begins a commit when the queue has room, and resolves then.
   * @throws the error of an earlier commit; this commit does not begin.
   */
  add(commit: () => Promise<void>): Promise<void>
  isEmpty(): boolean
  /**
   * Resolves when no commit is in flight.
   * @throws the error of the first commit that failed; later commits fail because of it.
   */
  settle(): Promise<void>
}

export function createCommitQueue(commitsMax: number): CommitQueue {
  const underWay = new Set<Promise<void>>()
  let hasCheckpoint = false
  let failure: { readonly error: unknown } | null = null

  function begin(commit: () => Promise<void>): void {
    const succeed = () => {
      hasCheckpoint = true
    }
    const fail = (error: unknown) => {
      failure ??= { error }
    }
    const ended: Promise<void> = commit()
      .then(succeed, fail)
      .finally(() => underWay.delete(ended))
    underWay.add(ended)
  }

  function assertSound(): void {
    if (failure !== null) throw failure.error
  }

  return {
    add: async (commit) => {
      while (underWay.size >= (hasCheckpoint ? commitsMax : 1)) await Promise.race(underWay)
      assertSound()
      begin(commit)
    },
    isEmpty: () => underWay.size === 0,
    settle: async () => {
      await Promise.all(underWay)
      assertSound()
    },
  }
}
