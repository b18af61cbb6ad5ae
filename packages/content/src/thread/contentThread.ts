import { parentPort, workerData } from 'node:worker_threads'
import { steadyClock } from '@attestry/core/model/clock.ts'
import { contentLayout, openContentStore } from '../contentStore.ts'
import { createContentAgents } from '../addressGuard.ts'
import { createDiscovery } from '../discoverContent.ts'
import { createHostPatience } from '../hostPatience.ts'
import { runContent } from '../runContent.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { openBeside } from '@attestry/host/openBeside.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { yieldToIndexing } from '@attestry/host/yieldToReaders.ts'
import type { ContentMessage, ContentSettings } from './contentMessages.ts'
import { startTracing } from '@attestry/tracing/startTracing.ts'

/**
 * The body of the thread that fetches content, beside the threads that index. Any message to this thread means stop.
 */
yieldToIndexing()
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())

// `startContent` passes `ContentSettings`.
const { database: config, content } = workerData as ContentSettings
await startTracing()
const database = await openDatabase(config)
const reader = database.openReader()
const store = openContentStore(await openBeside(config, contentLayout))
const agents = createContentAgents(content.timeoutMs)
const log = (level: ContentMessage['level'], message: string) =>
  parentPort?.postMessage({ level, message } satisfies ContentMessage)
await runContent(
  {
    store,
    options: { ...content, ...agents, hosts: createHostPatience() },
    totalBytesMax: content.totalBytesMax,
    discover: createDiscovery({ reader, store, decodePayload: decodeAttestedPayload, now: Date.now }),
    now: Date.now,
    sleep: (delayMs, signal) => steadyClock.sleep(delayMs, signal),
    log,
  },
  stop.signal,
)
await Promise.all([agents.gateways.destroy(), agents.others.destroy()])
await store.close()
await reader.close()
parentPort?.close()
