import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { runAs } from '@attestry/core/shares/askers.ts'
import { createFairShares } from '@attestry/core/shares/fairShares.ts'
import { pointerOfKey } from '@attestry/core/model/contentPointer.ts'
import { fetchContent, type FetchedContent, type FetchOptions } from './fetchContent.ts'
import type { ContentSource, ContentStore, DueContent, SettledContent } from './contentStore.ts'

export interface ContentLoops {
  readonly store: ContentStore
  readonly options: FetchOptions
  /** Bytes of all content that is kept. */
  readonly totalBytesMax: number
  /** Notes what records name; called again and again. */
  readonly discover: (stop: AbortSignal) => Promise<void>
  readonly now: () => number
  readonly sleep: (delayMs: number, stop: AbortSignal) => Promise<void>
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/**
 * Contents that are fetched at once. A slow gateway holds up as many, and no more memory than their bodies take. Hosts that
 * nobody chose, of which thousands may be dead, hold up none of the gateways. One account gets at most a quarter of what
 * the others leave.
 */
const fetchedAtOnce: Readonly<Record<ContentSource, number>> = { gateways: 64, hosts: 32 }
/** Requests at once to one host that nobody chose. */
const ofHostMax = 2
/** Places that become free within so long are given away together, in one transaction. */
const gatherMs = 50
const discoverEveryMs = 2_000
const idleMs = 1_000
/** Pause after a failed statement. */
const failureMs = 5_000

/** Pauses behind the attempts, in minutes; the last one repeats. */
const pausesMinutes = [1, 5, 30, 120, 360, 720, 1_440] as const
/** Longest pause that a gateway may ask for. */
const askedPauseMaxMs = 6 * 3_600_000
/** So often, content is asked for again whose transaction a gateway fails to give. */
const unsureMax = 3
/** After so long, content that nobody has is given up. */
const patienceMs = 14 * 86_400_000

/** Discovers and fetches until `stop` aborts. Never rejects: what fails is tried again. */
export async function runContent(loops: ContentLoops, stop: AbortSignal): Promise<void> {
  const { store, options, discover, log, sleep, now } = loops
  const repeat = async (what: string, work: () => Promise<number>): Promise<void> => {
    let told = ''
    while (!stop.aborted) {
      let pauseMs = failureMs
      try {
        pauseMs = await work()
        told = ''
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (!stop.aborted && message !== told) log('warn', `content: ${what}: ${message}`)
        told = message
      }
      if (pauseMs > 0) await sleep(pauseMs, stop).catch(() => undefined)
    }
  }
  const places = [options.ipfs, options.arweave, ...(options.https ? ['https'] : [])]
  const gateways = JSON.stringify(places)
  // Once: another process over the same tables may have other gateways, and they would undo each other.
  let areGatewaysNoted = false
  await Promise.all([
    repeat('records cannot be looked through', async () => {
      if (!areGatewaysNoted) await store.noteGateways(gateways, now())
      areGatewaysNoted = true
      await discover(stop)
      return discoverEveryMs
    }),
    ...(['gateways', 'hosts'] as const).map((from) =>
      repeat('content cannot be kept', async () => {
        await fetchInTurns(loops, from, stop)
        return idleMs
      }),
    ),
  ])
}

/** Bytes of content that wait for their transaction. */
const unsavedMax = 4 * 2 ** 20
const unsavedRowsMax = 256

/** Keeps what was fetched, many contents in one transaction. */
function createSaver({ store, totalBytesMax }: ContentLoops) {
  let unsaved: SettledContent[] = []
  let bytes = 0
  let saving: Promise<void> = Promise.resolve()
  const save = (): Promise<void> => {
    const rows = unsaved
    unsaved = []
    bytes = 0
    saving = saving.then(() => (rows.length === 0 ? undefined : store.settle(rows, totalBytesMax)))
    return saving
  }
  return {
    save,
    add: async (row: SettledContent): Promise<void> => {
      unsaved.push(row)
      bytes += row.json?.length ?? 0
      if (unsaved.length >= unsavedRowsMax || bytes >= unsavedMax) await save()
    },
  }
}

/** Fetches content until none is due: that of each account, and of each host, has its turn, and its share of places. */
async function fetchInTurns(loops: ContentLoops, from: ContentSource, stop: AbortSignal): Promise<void> {
  const { store, options, now, sleep } = loops
  const atOnce = fetchedAtOnce[from]
  const leaseMs = options.timeoutMs * (options.ipfs.length + options.arweave.length + 1) * 4
  const places = createFairShares({ total: atOnce, windowMs: null, refusal: 'No place is free.' })
  const running = new Set<Promise<void>>()
  const hosts = new Map<string, number>()
  const saver = createSaver(loops)
  /** Content that was taken, and that has no place yet. */
  let waiting: readonly DueContent[] = []
  const failures: Error[] = []

  /** Takes a place for a content; null if its account or host has its share. */
  function enter({ owner, host }: DueContent): (() => void) | null {
    const ofHost = hosts.get(host) ?? 0
    if (host !== '' && ofHost >= ofHostMax) return null
    try {
      // Nothing is kept for somebody else here.
      const leave = runAs({ name: owner, hasKey: true }, () => places.take())
      hosts.set(host, ofHost + 1)
      return () => {
        leave()
        const left = (hosts.get(host) ?? 1) - 1
        if (left === 0) hosts.delete(host)
        else hosts.set(host, left)
      }
    } catch (error) {
      if (error instanceof OverloadedError) return null
      throw error
    }
  }

  async function fetchNext(content: DueContent, leave: () => void): Promise<void> {
    try {
      const fetched = await fetchOne(content.key, options, stop)
      await saver.add(settle(content, fetched, now()))
    } catch (error) {
      if (!stop.aborted) failures.push(error instanceof Error ? error : new Error(String(error)))
    } finally {
      leave()
    }
  }

  function startWaiting(): void {
    waiting = waiting.filter((content) => {
      const leave = enter(content)
      if (leave === null) return true
      const fetching: Promise<void> = fetchNext(content, leave).finally(() => running.delete(fetching))
      running.add(fetching)
      return false
    })
  }

  try {
    while (!stop.aborted && failures.length === 0) {
      startWaiting()
      const free = atOnce - running.size
      const turn = {
        limit: free,
        ofOwnerMax: Math.max(1, atOnce / 4),
        ofHostMax,
        fullOwners: [...new Set(waiting.map(({ owner }) => owner))],
        fullHosts: [...new Set(waiting.map(({ host }) => host).filter((host) => host !== ''))],
      }
      const due = free === 0 ? [] : await store.take(from, turn, now(), leaseMs + 60_000)
      waiting = [...waiting, ...due]
      startWaiting()
      await saver.save()
      if (due.length === 0) {
        if (running.size === 0 && waiting.length === 0) return
        await Promise.race([...running, sleep(idleMs, stop).catch(() => undefined)])
      }
      await sleep(gatherMs, stop).catch(() => undefined)
    }
  } finally {
    await Promise.allSettled(running)
    await saver.save()
  }
  const [failure] = failures
  if (failure !== undefined) throw failure
}

async function fetchOne(key: string, options: FetchOptions, stop: AbortSignal): Promise<FetchedContent> {
  const pointer = pointerOfKey(key)
  if (pointer === null) return { state: 'refused', sentence: 'The content has no identifier.', json: null }
  return await fetchContent(pointer, options, stop)
}

/** The state after a fetch, with the time of the next attempt. */
export function settle(
  { key, attempts, firstAt }: Pick<DueContent, 'key' | 'attempts' | 'firstAt'>,
  { state, sentence, json, isUnsure = false, retryAfterMs = 0 }: FetchedContent,
  nowMs: number,
): SettledContent {
  const isOpen = state === 'missing' || state === 'mismatch' || (isUnsure && attempts < unsureMax)
  const usualMs = (pausesMinutes[Math.min(attempts, pausesMinutes.length - 1)] ?? 0) * 60_000
  const pauseMs = Math.max(usualMs, Math.min(retryAfterMs, askedPauseMaxMs))
  const nextAt = isOpen && nowMs + pauseMs - firstAt < patienceMs ? nowMs + pauseMs : null
  return { key, state, sentence, json, attempts: attempts + 1, nextAt }
}
