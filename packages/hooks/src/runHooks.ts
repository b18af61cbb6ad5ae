import type { JournalTail } from '@attestry/core/changes/journalTail.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import type { StoredHook } from '@attestry/core/index/hookStore.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { createHookRunner, type HookParts, type HookRunner } from './createHookRunner.ts'
import type { HookConfig } from './hookConfig.ts'
import { beginHooks } from './startState.ts'
import { createChainWatch } from './watchChains.ts'

export interface HooksOptions extends Omit<HookParts, 'source' | 'chains'> {
  readonly hooks: readonly HookConfig[]
  readonly reader: HookParts['source'] & Pick<IndexReader, 'listChains'>
  /** Tells of new versions of the index. */
  readonly tail: JournalTail<unknown>
  readonly writer: Pick<IndexWriter, 'claimHooks' | 'saveHooks'>
  readonly intervals?: Partial<Intervals>
}

/** Pauses in milliseconds. */
export interface Intervals {
  /** See `JournalTail.follow`. */
  readonly versionMs: number
  /** Between two looks at orders and chains, which also save what was delivered. */
  readonly tableMs: number
  /** Between two attempts to become the process that sends. */
  readonly claimMs: number
}

const intervalDefaults: Intervals = { versionMs: 50, tableMs: 1_000, claimMs: 2_000 }

/**
 * Delivers all hooks of a database until `stop` aborts. Of the processes that share the database one sends: the one
 * that has the claim, which ends with its connection to the database. A process that cannot save how far it has come
 * gives the others room: it begins again with the claim and with what is saved.
 */
export async function runHooks(options: HooksOptions, stop: AbortSignal): Promise<void> {
  const intervals = { ...intervalDefaults, ...options.intervals }
  let lastMessage: string | null = null
  while (!stop.aborted) {
    try {
      if (await options.writer.claimHooks()) await send(options, intervals, stop)
      lastMessage = null
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (message !== lastMessage) options.log('warn', `hooks wait for the database: ${message}`, {})
      lastMessage = message
    }
    await pause(options.clock, intervals.claimMs, stop)
  }
}

async function send(options: HooksOptions, intervals: Intervals, stop: AbortSignal): Promise<void> {
  const { hooks, reader, writer, tail, clock, now } = options
  const chains = createChainWatch()
  const rows = await beginHooks(hooks, reader, writer)
  const parts: HookParts = { ...options, source: reader, chains }
  const runners = hooks.flatMap((hook) => {
    const row = rows.find(({ name }) => name === hook.name)
    return row === undefined ? [] : [{ name: hook.name, runner: createHookRunner(hook, parts, row) }]
  })
  const ended = new AbortController()
  const signal = AbortSignal.any([stop, ended.signal])
  const running = runners.map(({ runner }) => runner.run(signal))

  async function save(): Promise<void> {
    const saved = runners.flatMap(({ runner }) => runner.unsaved() ?? [])
    if (saved.length > 0) await writer.saveHooks(saved)
  }

  const wake = () => {
    for (const { runner } of runners) runner.wake()
  }
  const leaveTail = tail.follow(intervals.versionMs, wake)
  try {
    while (!signal.aborted) {
      await save()
      chains.note(
        (await reader.listChains()).map(({ status }) => status),
        { now: now(), nowMs: clock.nowMs() },
      )
      heed(runners, await reader.listHooks())
      // Blocks become final, and chains stale, without a new version.
      wake()
      await pause(clock, intervals.tableMs, signal)
    }
  } finally {
    leaveTail()
    ended.abort()
    await Promise.all(running)
    await save()
  }
}

function heed(
  runners: readonly { readonly name: string; readonly runner: HookRunner }[],
  rows: readonly StoredHook[],
): void {
  for (const { name, runner } of runners) {
    const row = rows.find((each) => each.name === name)
    if (row !== undefined) runner.heed(row)
  }
}

async function pause(clock: Clock, durationMs: number, stop: AbortSignal): Promise<void> {
  await clock.sleep(durationMs, stop).catch(() => undefined)
}
