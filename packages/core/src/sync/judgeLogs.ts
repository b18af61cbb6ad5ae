import { sealedCount } from './sealLogs.ts'

/** The logs of a block according to an endpoint. An endpoint may have several votes. */
export interface LogsVote {
  readonly host: string
  readonly seal: string
}

export interface LogsVerdict {
  /** `same`: as the index has them. `fewer`: nobody gives as many as the index has. `other`: the index lacks some. */
  readonly kind: 'same' | 'fewer' | 'other'
  /** The endpoints that gave other logs than the true ones. */
  readonly contradicted: readonly string[]
}

/**
 * Judges the endpoints' answers for the logs of a final block against `stored`, the seal of the indexed logs. A log that
 * an endpoint gives in that block exists; a log that it does not give may only be missing there. So the answer with the
 * most logs is taken as true. Of several such answers, that of most endpoints counts, and of those, that of the index.
 */
export function judgeLogs(stored: string, votes: readonly LogsVote[]): LogsVerdict {
  const hostsOf = Map.groupBy(votes, ({ seal }) => seal)
  const supportOf = (seal: string) => hostsOf.get(seal)?.length ?? 0
  const [truth] = [...hostsOf.keys()].sort(
    (a, b) =>
      sealedCount(b) - sealedCount(a) ||
      supportOf(b) - supportOf(a) ||
      Number(b === stored) - Number(a === stored),
  )
  if (truth === undefined) return { kind: 'same', contradicted: [] }
  const contradicted = [...new Set(votes.flatMap(({ host, seal }) => (seal === truth ? [] : [host])))]
  if (truth === stored) return { kind: 'same', contradicted }
  return { kind: sealedCount(truth) < sealedCount(stored) ? 'fewer' : 'other', contradicted }
}
