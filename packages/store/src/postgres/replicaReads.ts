import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { isSameState, type IndexState } from './indexState.ts'
import type { ReadPool } from './readPool.ts'
import { inSnapshot, type SharedMemo, type SnapshotRead } from './readSession.ts'
import { isStatementTimeout, translatePostgresError } from './translatePostgresError.ts'

/** A streaming replica, as reads are sent to it. */
export interface Replica {
  readonly place: string
  readonly pool: ReadPool
}

/** Reads that are spread over replicas. */
export interface ReplicaReads {
  /**
   * Runs a read on a streaming replica that is in exactly this state, one replica after the other. null where the next
   * one is not, or is in trouble: then the primary is to be asked. Older would take back what a client has seen; newer would
   * be taken back itself by the primary, where a commit reaches replicas a moment before it can be seen.
   */
  tryRead<Result>(state: IndexState, read: SnapshotRead<Result>): Promise<{ readonly result: Result } | null>
  close(): Promise<void>
}

/** For how long a replica that lags or fails is left alone at first, and at most. */
const restFirstMs = 20
const restMaxMs = 5_000

interface Member extends Replica {
  /** Reads in a row that it could not answer. */
  failures: number
  restUntilMs: number
  isTried: boolean
}

export function createReplicaReads(replicas: readonly Replica[], memo: SharedMemo): ReplicaReads {
  const members: Member[] = replicas.map((replica) => ({
    ...replica,
    failures: 0,
    restUntilMs: 0,
    isTried: false,
  }))
  let turn = 0

  /**
   * The next replica in turn that is not resting. One that rested is tried by one read, for it may take long to fail.
   */
  function choose(): Member | null {
    const nowMs = performance.now()
    for (let step = 0; step < members.length; step++) {
      const member = members[(turn + step) % members.length]
      if (member === undefined || nowMs < member.restUntilMs || member.isTried) continue
      turn = (turn + step + 1) % members.length
      return member
    }
    return null
  }

  function rest(member: Member): void {
    const restMs = Math.min(restMaxMs, restFirstMs * 2 ** member.failures)
    member.failures += 1
    member.restUntilMs = performance.now() + restMs
  }

  async function tryRead<Result>(
    state: IndexState,
    { work, plans }: SnapshotRead<Result>,
  ): Promise<{ readonly result: Result } | null> {
    const member = choose()
    if (member === null) return null
    member.isTried = member.failures > 0
    try {
      const read = await member.pool.use((connection) =>
        inSnapshot(connection, memo, {
          work: async (session) =>
            session.isStandby && isSameState(session.snapshot, state)
              ? { result: await work(session) }
              : null,
          plans,
        }),
      )
      if (read === null) rest(member)
      else member.failures = 0
      return read
    } catch (error) {
      if (!isTroubleOf(member, error)) throw error
      rest(member)
      return null
    } finally {
      member.isTried = false
    }
  }

  return {
    tryRead,
    close: async () => {
      await Promise.all(members.map(({ pool }) => pool.close()))
    },
  }
}

/**
 * Whether an error says something of the replica, as that it is gone or has ended a read for what it replays, not of
 * the read.
 */
function isTroubleOf({ place }: Replica, error: unknown): boolean {
  if (isStatementTimeout(error)) return false
  const ours = translatePostgresError(place, error)
  return ours instanceof StoreUnavailableError || ours instanceof StoreIncompatibleError
}
