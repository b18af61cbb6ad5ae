import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'

export interface ExportLimits {
  /** Exports at the same time; more are refused with 503. */
  readonly exportsMax: number
  /** The same of one client, so that it never takes all places. */
  readonly exportsOfClientMax: number
  /** A client that reads no bytes for this long is cut off: it occupies a place that another client could use. */
  readonly stallMs: number
  /** Characters a second that a client must take on average, once it was waited for as long as `stallMs`. */
  readonly leastRate: number
}

export const exportLimitDefaults: ExportLimits = {
  exportsMax: 8,
  exportsOfClientMax: 4,
  stallMs: 60_000,
  leastRate: 16 * 1024,
}

/** Seconds after which a refused client may try again. */
const retryAfterSeconds = 10

/** The exports that run, of all and of each client. */
export interface RunningExports {
  count: number
  readonly byClient: Map<string, number>
}

/**
 * Takes a place for an export; the returned function gives the place back.
 * @throws OverloadedError where all places are taken, or all that one client may have.
 */
export function takePlace(
  running: RunningExports,
  client: string,
  { exportsMax, exportsOfClientMax }: ExportLimits,
): () => void {
  const own = running.byClient.get(client) ?? 0
  if (running.count >= exportsMax || own >= exportsOfClientMax) {
    const whose = running.count >= exportsMax ? 'Too many exports' : 'Too many exports of this client'
    throw new OverloadedError(`${whose} run already; try again later.`, retryAfterSeconds)
  }
  running.count += 1
  running.byClient.set(client, own + 1)
  return () => {
    running.count -= 1
    const left = (running.byClient.get(client) ?? 1) - 1
    if (left === 0) running.byClient.delete(client)
    else running.byClient.set(client, left)
  }
}
