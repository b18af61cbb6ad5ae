import { randomInt } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { fetchManifest } from '../../chunks/publishChunks.ts'
import { openPlace } from '../../places/openPlace.ts'
import type { Place } from '../../places/place.ts'
import type { ChunksConfig } from '../../chunks/chunksWing.ts'
import type { Manifest } from '../../chunks/manifest.ts'
import { replayChunks, type ChainToReplay, type ReplayedChain } from '../../chunks/replayChunks.ts'
import { missProbability } from '../../chunks/sampleSpans.ts'
import { describeChain } from '@attestry/core/model/chainState.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import { openChains } from '@attestry/verify/commands/askChains.ts'
import type { Environment } from '@attestry/host/config/interpolateVariables.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import type { Output } from '@attestry/host/createOutput.ts'
import type { StartHost } from '@attestry/server/wing.ts'
import type { Database } from '@attestry/host/database.ts'
import { assertChecked, migrateForWriting } from '@attestry/host/checkDatabase.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { compareContracts } from './compareContracts.ts'
import { createChainCheck } from './compareWithChain.ts'
import { startChunkThread } from './startChunkThread.ts'
import { closing } from '@attestry/host/closing.ts'

export interface ReplayCommand {
  readonly config: Pick<Config, 'database' | 'chains' | 'requests' | 'fields'> & {
    readonly chunks: ChunksConfig
  }
  /** The place of all published chains; null: each chain has its place in the configuration. */
  readonly from: string | null
  readonly environment: Environment
  readonly output: Output
  readonly signal: AbortSignal
  readonly answerMeanwhile: StartHost['answerMeanwhile']
}

/** One call of an endpoint with its retries: the start waits for it. */
const callBudgetMs = 60_000

/**
 * Fills a database without chains with the chains that are published, before it is indexed into and served. If the
 * database holds chains, nothing is fetched. A mistake in the chunks is an error, and leaves the database empty.
 * @throws PlaceUnavailableError, ChunksRefusedError, ConfigError, StartError
 */
export async function runReplay(command: ReplayCommand): Promise<void> {
  const { config, output } = command
  const database = await openDatabase(config.database)
  using _ = database.lock()
  await migrateForWriting(database)
  if (await hasChains(database)) {
    output.log.info(
      {},
      `the database ${database.place} holds chains already: nothing is fetched from elsewhere`,
    )
    return
  }
  await assertChecked(database)
  await replayInto(database, command)
}

async function hasChains(database: Database): Promise<boolean> {
  await using reader = closing(database.openReader())
  return (await reader.listChains()).length > 0
}

async function replayInto(database: Database, command: ReplayCommand): Promise<void> {
  const { config, output, signal } = command
  const chains = await findPublished(command)
  if (chains.length === 0) return
  const total = chains.reduce((sum, { published }) => sum + published.events, 0)
  await command.answerMeanwhile(describeBuild(0, total))
  const { sample } = config.chunks
  const asked = openChains(config, callBudgetMs)
  const thread = startChunkThread()
  const startMs = performance.now()
  try {
    const replayed = await replayChunks({
      chains,
      restore: database.openRestore(config.fields, true),
      openChunk: thread.openChunk,
      check: createChainCheck((chainId) => {
        const chain = asked.ask(chainId)
        if (chain === null) throw new Error(`chain ${chainId} is not configured`)
        return chain
      }),
      mayBeBornRevoked: (protocol) => findProtocol(protocol)?.mayBeBornRevoked ?? false,
      sampleSize: sample,
      random: () => randomInt(2 ** 32) / 2 ** 32,
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
async function findPublished({
  config,
  from,
  environment,
  output,
  signal,
}: ReplayCommand): Promise<readonly ChainToReplay[]> {
  const places = new Map<string, { readonly place: Place; readonly manifest: Manifest }>()
  const found: ChainToReplay[] = []
  for (const chain of config.chains) {
    const text = from ?? chain.from
    if (text === null) continue
    let opened = places.get(text)
    if (opened === undefined) {
      const option = from === null ? `The key from of chain ${chain.chainId}` : 'The option --from'
      const place = openPlace(text, option, environment)
      opened = { place, manifest: await fetchManifest(place, config.chunks.publicKey, signal) }
      places.set(text, opened)
    }
    const published = opened.manifest.chains.find(({ chainId }) => chainId === chain.chainId)
    if (published === undefined) {
      output.log.warn({ chainId: chain.chainId }, describeUnpublished(chain, opened.place))
      continue
    }
    compareContracts(chain, published, opened.place.name)
    found.push({ place: opened.place, published })
  }
  return found
}

function describeUnpublished({ chainId, name }: ChainConfig, place: Place): string {
  return `${describeChain(chainId, name)} is not published in ${place.name}: it is indexed from its endpoints`
}

function factsOf({ published: { chainId, events, block }, compared, spans }: ReplayedChain) {
  return { chainId, events, block, compared, spans }
}

/** Says what was compared, and which lies that would miss. */
function describeReplayed({ published, spans, compared, drawn, withheld }: ReplayedChain): string {
  const { chainId, name, events, block } = published
  const what = `${describeChain(chainId, name)} begins with ${events} published events up to block ${block}`
  if (compared === 0) return `${what}; none of its blocks was compared with the chain (chunks.sample is 0)`
  const missed = (share: number) => formatPercent(missProbability(share, drawn))
  const kept = withheld === 0 ? '' : `, of ${withheld} more the endpoints no longer keep the logs`
  const further = compared === drawn ? '' : `, and ${compared - drawn} with revocations that no event tells,`
  const checked = `${what}; ${drawn} of its ${spans} spans of blocks, drawn at random,${further} are what the endpoints say${kept}`
  if (compared === spans) return `${checked}: all of them`
  return `${checked}: forged or missing records in 1 % of the spans would have escaped with a chance of ${missed(0.01)}, in 0.1 % with ${missed(0.001)}`
}

function formatPercent(share: number): string {
  const percent = 100 * share
  return `${percent >= 10 ? percent.toFixed(0) : percent >= 0.1 ? percent.toFixed(1) : 'less than 0.1'} %`
}
