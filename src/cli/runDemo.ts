import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runDemoChain, type DemoChain, type DemoProgress } from '../demo/runDemoChain.ts'
import type { ChainStatus } from '../model/chainState.ts'
import { parseAddress } from '../model/hex.ts'
import type { Config } from './config/loadConfig.ts'
import { allRequestsDefault, endpointRequestsDefault } from './config/configSchema.ts'
import type { ServerConfig } from './config/resolveServer.ts'
import type { Output } from './createOutput.ts'
import { prepareExplorer, type PreparedExplorer } from './explorer/prepareExplorer.ts'
import { formatCount } from './formatQuantities.ts'
import { assertListenable } from './listenAddress.ts'
import { listDemoUrls } from './listDemoUrls.ts'
import { runService } from './runService.ts'
import type { RunningApi } from './apiSettings.ts'

export interface DemoOptions {
  readonly server: ServerConfig
  readonly output: Output
}

/** How often the demo's head is looked at: its blocks come every second or so. */
const pollIntervalMs = 500

/**
 * Runs a local chain with living data, indexes and serves it until `signal` aborts, and says what to try once all that the
 * chain began with is indexed. Its database is a new one in a temporary folder, which is removed at the end.
 */
export async function runDemo({ server, output }: DemoOptions, signal: AbortSignal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-demo-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  // A process that is told twice to stop leaves nothing behind either.
  process.once('exit', removeFolder)
  let chain: DemoChain | null = null
  let explorer: PreparedExplorer | null = null
  try {
    // The chain takes a while to start; that the port is taken should not come out after it.
    await assertListenable(server)
    // Built beside the chain's start, it stands when there is something to see.
    if (server.explorer) explorer = prepareExplorer(output.log)
    chain = await runDemoChain({ signal, onProgress: createDemoReporter(output) })
    output.showLive([])
    await indexAndServe(chain, join(folder, 'attestry.db'), { server, output, explorer }, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    explorer?.close()
    await chain?.stop()
    removeFolder()
    process.off('exit', removeFolder)
  }
}

async function indexAndServe(
  chain: DemoChain,
  databasePath: string,
  { server, output, explorer }: DemoOptions & { readonly explorer: PreparedExplorer | null },
  signal: AbortSignal,
): Promise<void> {
  let api: RunningApi | null = null
  let told = false
  const tellOnceReady = (status: ChainStatus | null) => {
    if (told || api === null || status === null) return
    if (!status.reachedHead) return
    told = true
    tellUrls(api, output, server.explorer).catch((error: unknown) =>
      output.log.error({ err: error }, 'cannot list what to try'),
    )
  }
  let lastStatus: ChainStatus | null = null
  const ended = new AbortController()
  const living = chain.startTrickle(AbortSignal.any([signal, ended.signal]), (problem) =>
    output.log.warn(`the demo's chain: ${problem}`),
  )
  await runService(
    {
      config: demoConfig(chain, databasePath, server),
      output,
      index: true,
      serve: true,
      explorer,
      onServing: (serving) => {
        api = serving
        tellOnceReady(lastStatus)
      },
      onStatus: (status) => {
        lastStatus = status
        tellOnceReady(status)
      },
    },
    signal,
  ).finally(() => ended.abort())
  await living
}

/** Tells of each stage once; how far the populating is, on a terminal alone. */
function createDemoReporter({ log, showLive }: Output): (progress: DemoProgress) => void {
  let stage: DemoProgress['stage'] | null = null
  let shownMs = 0
  return (progress) => {
    if (progress.stage !== stage) log.info(demoStages[progress.stage])
    stage = progress.stage
    if (progress.stage !== 'populating') return
    const { attestations, of } = progress
    // Attestations are made by the hundred a second; a person reads a few numbers of them.
    if (performance.now() - shownMs < liveIntervalMs && attestations < of) return
    shownMs = performance.now()
    showLive([`  ${formatCount(attestations)} of ${formatCount(of)} attestations made`])
  }
}

const liveIntervalMs = 200

const demoStages: Readonly<Record<DemoProgress['stage'], string>> = {
  compiling: 'compiling the Sign Protocol contract (once; the result is kept)',
  starting: 'starting a local chain',
  deploying: 'deploying the contract',
  populating: 'making schemas and attestations',
}

function demoConfig(chain: DemoChain, path: string, server: ServerConfig): Config {
  const { chainId, contracts, finality, rpcUrl } = chain
  const deployments = contracts.map(({ protocol, address, startBlock }) => {
    const parsed = parseAddress(address)
    if (parsed === null) throw new TypeError(`${address} is no address`)
    return { protocol, chainId, address: parsed, schemaRegistry: null, startBlock }
  })
  return {
    database: { kind: 'sqlite', path },
    // One person looks at it, and it shall start fast.
    server: { ...server, workers: 1 },
    requests: allRequestsDefault,
    chains: [
      {
        chainId,
        name: 'Demo',
        explorer: null,
        rpc: [rpcUrl],
        deployments,
        requests: endpointRequestsDefault,
        finality,
        pollIntervalMs,
        transactionSenders: false,
      },
    ],
  }
}

async function tellUrls(api: RunningApi, output: Output, hasExplorer: boolean): Promise<void> {
  const urls = await listDemoUrls(api.reader, api.url)
  if (!output.human) {
    if (hasExplorer) output.log.info({ url: `${api.url}/` }, 'the explorer')
    for (const { title, url } of urls) output.log.info({ url }, title)
    output.log.info('ready')
    return
  }
  output.printLine('')
  if (hasExplorer) output.printLine(`Ready. The explorer is at ${api.url}/\n`)
  output.printLine(`${hasExplorer ? '' : 'Ready. '}Try these, or press Ctrl-C to end:`)
  for (const { title, url } of urls) output.printLine(`  ${title}\n    curl '${url}'`)
  output.printLine('')
}
