import { performance } from 'node:perf_hooks'
import type { ChunksConfig } from '../../chunks/chunksWing.ts'
import type { Manifest } from '../../chunks/manifest.ts'
import type { ChainToReplay } from '../../chunks/readChunks.ts'
import { replayChunks, type ReplayedChain } from '../../chunks/replayChunks.ts'
import { describeChain } from '@attestry/core/model/chainState.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { openChains } from '@attestry/verify/commands/askChains.ts'
import type { Environment } from '@attestry/host/config/interpolateVariables.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import type { Output } from '@attestry/host/createOutput.ts'
import type { StartHost } from '@attestry/server/wing.ts'
import type { Database } from '@attestry/host/database.ts'
import { assertChecked, migrateForWriting } from '@attestry/host/checkDatabase.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { createChecks } from './compareWithChain.ts'
import { describeSample, findPublished, openPlaceOf } from './findPublished.ts'
import { startChunkThread } from './startChunkThread.ts'
import { closing } from '@attestry/host/closing.ts'

export interface ReplayCommand {
  readonly config: Pick<Config, 'database' | 'chains' | 'requests' | 'fields'> & {
    readonly chunks: ChunksConfig
  }
  readonly environment: Environment
  readonly output: Output
  readonly signal: AbortSignal
  readonly answerMeanwhile: StartHost['answerMeanwhile']
}

/** One call of an endpoint with its retries: the start waits for it. */
const callBudgetMs = 60_000

/**
 * Fills a database without chains with the chains that are published, before it is indexed into and served. A mistake in
 * the chunks is an error, and leaves the database empty. Chains that join others are indexed beside them
 * (openPublished.ts).
 * @throws PlaceUnavailableError, ChunksRefusedError, ConfigError, StartError
 */
export async function runReplay(command: ReplayCommand): Promise<void> {
  const { config, environment } = command
  for (const chain of config.chains) openPlaceOf(chain, config.chunks, environment)
  const database = await openDatabase(config.database)
  using _ = database.lock()
  await migrateForWriting(database)
  if (await hasChains(database)) return
  await assertChecked(database)
  await replayInto(database, command)
}

async function hasChains(database: Database): Promise<boolean> {
  await using reader = closing(database.openReader())
  return (await reader.listChains()).length > 0
}

async function replayInto(database: Database, command: ReplayCommand): Promise<void> {
  const { config, output, signal } = command
  const chains = await findChains(command)
  if (chains.length === 0) return
  const total = chains.reduce((sum, { published }) => sum + published.events, 0)
  await command.answerMeanwhile(describeBuild(0, total))
  const asked = openChains(config, callBudgetMs)
  const thread = startChunkThread()
  const startMs = performance.now()
  try {
    const replayed = await replayChunks({
      chains,
      restore: database.openRestore(config.fields, true),
      openChunk: thread.openChunk,
      ...createChecks(config.chunks, (chainId) => {
        const chain = asked.ask(chainId)
        if (chain === null) throw new Error(`chain ${chainId} is not configured`)
        return chain
      }),
      storedAt: unixMilliseconds(Date.now()),
      onProgress: (events) => {
        void command.answerMeanwhile(describeBuild(events, total))
        output.showLive([`${events.toLocaleString('en')} events of published chunks`])
      },
      onBuild: (events) => {
        const text = `${events.toLocaleString('en')} events of published chunks are loaded; lists and counts are built of them`
        output.showLive([text])
        void command.answerMeanwhile(describeBuild(events, total))
        output.log.info({ events }, text)
      },
      signal,
    })
    output.showLive([])
    const seconds = (performance.now() - startMs) / 1000
    for (const chain of replayed) output.log.info(factsOf(chain), describeReplayed(chain))
    output.log.info(
      {},
      `the database ${database.place} begins with ${total} published events, after ${seconds.toFixed(1)} s`,
    )
  } finally {
    output.showLive([])
    await Promise.all([asked.close(), thread.close()])
  }
}

/** The answer to all requests meanwhile. */
function describeBuild(loaded: number, total: number): string {
  const [some, all] = [loaded, total].map((events) => events.toLocaleString('en'))
  const state =
    loaded < total ? `${some} of ${all} events are loaded` : `lists and counts are built of ${all} events`
  return `The index is being built from published chunks and answers nothing yet: ${state}. Try again later.`
}

/** The configured chains that are published somewhere, each with its place. */
async function findChains({
  config,
  environment,
  output,
  signal,
}: ReplayCommand): Promise<readonly ChainToReplay[]> {
  const manifests = new Map<string, Manifest>()
  const chains: ChainToReplay[] = []
  for (const chain of config.chains) {
    const { chainId, deployments } = chain
    const found = await findPublished(chain, deployments, config.chunks, environment, signal, manifests)
    if (found === null) continue
    if ('missing' in found) output.log.warn({ chainId }, found.missing)
    else chains.push(found)
  }
  return chains
}

function factsOf({ published: { chainId, events, block }, compared, spans }: ReplayedChain) {
  return { chainId, events, block, compared, spans }
}

function describeReplayed({ published, ...sample }: ReplayedChain): string {
  const { chainId, name, events, block } = published
  return `${describeChain(chainId, name)} begins with ${events} published events up to block ${block}; ${describeSample(sample)}`
}
