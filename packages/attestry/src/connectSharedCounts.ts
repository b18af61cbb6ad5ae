import { createRequestCounts, type CountRequest } from '@attestry/server/pipeline/limits/requestCounts.ts'

/** Counts of the requests of clients that the servers of several machines keep together. */
export interface SharedCounts {
  readonly count: CountRequest
  close(): void
}

export interface SharedCountsOptions {
  /** The URL of a server of Valkey or Redis (7 or newer); it may hold a password. */
  readonly url: string
  readonly windowMs: number
  readonly logger: { warn(message: string): void; info(message: string): void }
}

/** Longest time that an answer waits for the counts. After it, only this process counts the request. */
const answerWithinMs = 250

/** How long the start may wait for the server. */
const connectWithinMs = 2_000

/** How often a lost server is looked for. */
const retryMs = 1_000

/**
 * Counts in Valkey. A window of a client is a hash, which ends by itself. While the server is away, this process counts
 * by itself: a limit without a shared count must not close the API.
 */
export async function connectSharedCounts({
  url,
  windowMs,
  logger,
}: SharedCountsOptions): Promise<SharedCounts> {
  const { Valkey } = await import('iovalkey')
  const { host } = new URL(url)
  const own = createRequestCounts(windowMs)
  const client = new Valkey(url.replace(/^valkey/, 'redis'), {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectWithinMs,
    commandTimeout: answerWithinMs,
    lazyConnect: true,
    retryStrategy: () => retryMs,
  })
  /** While the server does not answer, requests do not wait for it; null: it answers. */
  let askAgainAtMs: number | null = null
  // The library's own errors may hold parts of the URL.
  const noteAway = (): void => {
    if (askAgainAtMs === null) {
      logger.warn(`the server of request counts at ${host} does not answer: this process counts by itself`)
    }
    askAgainAtMs = performance.now() + retryMs
  }
  const noteAnswer = (): void => {
    if (askAgainAtMs !== null) logger.info(`the server of request counts at ${host} answers again`)
    askAgainAtMs = null
  }
  client.on('error', noteAway)
  await client.connect().catch(noteAway)

  async function countTogether(name: string, addedCostMs: number | undefined): Promise<readonly unknown[]> {
    const key = `attestry:requests:${name}`
    const added = addedCostMs === undefined ? 0 : Math.round(addedCostMs)
    return await Promise.all([
      client.hincrby(key, 'requests', addedCostMs === undefined ? 1 : 0),
      client.hincrby(key, 'costMs', added),
      client.call('PEXPIRE', key, windowMs, 'NX'),
      client.pttl(key),
    ])
  }

  return {
    count: async (name, addedCostMs) => {
      const counted = own(name, addedCostMs)
      if (askAgainAtMs !== null && performance.now() < askAgainAtMs) return counted
      try {
        const [current, costMs, , ttlMs] = await countTogether(name, addedCostMs)
        noteAnswer()
        return { current: Number(current), costMs: Number(costMs), ttlMs: Math.max(0, Number(ttlMs)) }
      } catch {
        noteAway()
        return counted
      }
    },
    close: () => client.disconnect(),
  }
}
