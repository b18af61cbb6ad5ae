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

/** Shorter than the pause of one to two seconds between two blocks of the demo. */
const pollIntervalMs = 500

/**
 * Runs a local chain with living data, and indexes and serves it until `signal` aborts. Prints URLs to try when the history of the
 * chain is indexed. The database is in a temporary folder, which is removed at the end.
 */
export async function runDemo({ server, output }: DemoOptions, signal: AbortSignal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-demo-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  // A second Ctrl-C skips the end of this function.
  process.once('exit', removeFolder)
  let chain: DemoChain | null = null
  let explorer: PreparedExplorer | null = null
  try {
    // The chain starts slowly: a taken port is reported before.
    await assertListenable(server)
    // The explorer is built while the chain starts.
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

/** Logs each stage once; on a terminal also shows the number of attestations made. */
function createDemoReporter({ log, showLive }: Output): (progress: DemoProgress) => void {
  let stage: DemoProgress['stage'] | null = null
  let shownMs = 0
  return (progress) => {
    if (progress.stage !== stage) log.info(demoStages[progress.stage])
    stage = progress.stage
    if (progress.stage !== 'populating') return
    const { attestations, of } = progress
    // Hundreds of attestations a second are made; a person reads a few updates a second.
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
    // One worker starts fastest, and one person uses the demo.
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
