import { pointerOfKey } from '../model/contentPointer.ts'
import { fetchContent, type FetchedContent, type FetchOptions } from './fetchContent.ts'
import type { ContentSource, ContentStore, DueContent, SettledContent } from './contentStore.ts'

export interface ContentLoops {
  readonly store: ContentStore
  readonly options: FetchOptions
  /** Notes what records name; called again and again. */
  readonly discover: (stop: AbortSignal) => Promise<void>
  readonly now: () => number
  readonly sleep: (delayMs: number, stop: AbortSignal) => Promise<void>
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/**
 * Contents that are fetched at once. A slow gateway holds up as many, and no more memory than their bodies take. Hosts that
 * nobody chose, of which thousands may be dead, hold up none of the gateways.
 */
const fetchedAtOnce: Readonly<Record<ContentSource, number>> = { gateways: 32, hosts: 16 }
/** Contents that are taken from the table at once. */
const takenAtOnce = 256
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
        const leaseMs = options.timeoutMs * (options.ipfs.length + options.arweave.length + 1) * 4
        const due = await store.take(from, takenAtOnce, now(), leaseMs + 60_000)
        await fetchAll(loops, due, fetchedAtOnce[from], stop)
        return due.length === takenAtOnce ? 0 : idleMs
      }),
    ),
  ])
}

/** Bytes of content that wait for their transaction. */
const unsavedMax = 4 * 2 ** 20
const unsavedRowsMax = takenAtOnce

async function fetchAll(
  loops: ContentLoops,
  due: readonly DueContent[],
  atOnce: number,
  stop: AbortSignal,
): Promise<void> {
  const { store, options, now } = loops
  const waiting = due.values()
  let unsaved: SettledContent[] = []
  let bytes = 0
  let saving: Promise<unknown> = Promise.resolve()
  const save = () => {
    const rows = unsaved
    unsaved = []
    bytes = 0
    saving = saving.then(() => (rows.length === 0 ? undefined : store.settle(rows)))
    return saving
  }
  const one = async () => {
    for (const content of waiting) {
      if (stop.aborted) return
      const fetched = await fetchOne(content.key, options, stop)
      unsaved.push(settle(content, fetched, now()))
      bytes += fetched.json?.length ?? 0
      if (unsaved.length >= unsavedRowsMax || bytes >= unsavedMax) await save()
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, one))
  } finally {
    await save()
  }
}

async function fetchOne(key: string, options: FetchOptions, stop: AbortSignal): Promise<FetchedContent> {
  const pointer = pointerOfKey(key)
  if (pointer === null) return { state: 'refused', sentence: 'The content has no identifier.', json: null }
  return await fetchContent(pointer, options, stop)
}

/** What a fetch says, and when the content is tried again. */
export function settle(
  { key, attempts, firstAt }: DueContent,
  { state, sentence, json, isUnsure = false, retryAfterMs = 0 }: FetchedContent,
  nowMs: number,
): SettledContent {
  const isOpen = state === 'missing' || state === 'mismatch' || (isUnsure && attempts < unsureMax)
  const usualMs = (pausesMinutes[Math.min(attempts, pausesMinutes.length - 1)] ?? 0) * 60_000
  const pauseMs = Math.max(usualMs, Math.min(retryAfterMs, askedPauseMaxMs))
  const nextAt = isOpen && nowMs + pauseMs - firstAt < patienceMs ? nowMs + pauseMs : null
  return { key, state, sentence, json, attempts: attempts + 1, nextAt }
}
