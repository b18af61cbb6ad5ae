/**
 * Commits of one chain that are under way at the same time, in their order. Invariant: none is begun before the first has succeeded,
 * since a store that has no checkpoint yet takes any block for the first one; from then on it refuses what follows a failure.
 */
export interface CommitQueue {
  /**
   * Begins a commit as soon as there is room for it, and resolves then.
   * @throws what made an earlier one fail; this one is not begun.
   */
  add(commit: () => Promise<void>): Promise<void>
  isEmpty(): boolean
  /**
   * Resolves when none is under way any more.
   * @throws what made the first that failed fail; those that were begun behind it fail for that reason alone.
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
