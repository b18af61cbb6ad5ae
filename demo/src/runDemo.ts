import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentDemo } from './agentDemo.ts'
import { combineDemos } from './combineDemos.ts'
import { demoPolicies } from './demoPolicies.ts'
import { easDemo } from './easDemo.ts'
import { runDemoChain, type DemoChain, type DemoProgress } from './runDemoChain.ts'
import { signDemo } from './signDemo.ts'
import { veraxDemo } from './veraxDemo.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { mapRegistries } from '@attestry/core/model/indexedContract.ts'
import { explorerWing } from '@attestry/server/interfaces/explorer/explorerWing.ts'
import { mcpWing } from '@attestry/server/interfaces/mcp/mcpWing.ts'
import { gateWing } from '@attestry/trust/gate/gateWing.ts'
import { configOf, projectionsOf } from '@attestry/host/config/configPart.ts'
import { endpointRequestsDefault } from '@attestry/host/config/configSchema.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import type { Output } from '@attestry/host/createOutput.ts'
import { formatColumns, formatCount } from '@attestry/host/formatQuantities.ts'
import { assertListenable } from '@attestry/host/listenAddress.ts'
import { runService } from '@attestry/attestry/runService.ts'
import * as composition from '@attestry/attestry/wings.ts'

export interface DemoOptions {
  /** The configuration of a command without a file: the database and the chains are replaced. */
  readonly config: Config
  readonly output: Output
}

/** Shorter than the pause of one to two seconds between two blocks of the demo. */
const pollIntervalMs = 500

/**
 * Runs local chains with living data, and indexes and serves them until `signal` aborts. The service answers before the
 * chains have any record; their histories fill the index while it answers. The database is in a temporary folder, which
 * is removed at the end.
 */
export async function runDemo({ config, output }: DemoOptions, signal: AbortSignal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-demo-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  // A second Ctrl-C skips the end of this function.
  process.once('exit', removeFolder)
  const chains: DemoChain[] = []
  try {
    // A taken port is reported before anything starts.
    await assertListenable(config.server)
    await startChains(chains, signal)
    const demo = demoConfig(config, chains, join(folder, 'attestry.db'))
    await indexAndServe(chains, demo, output, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await Promise.all(chains.map((chain) => chain.stop()))
    removeFolder()
    process.off('exit', removeFolder)
  }
}

/**
 * Starts the chains of the demo. Adds each one that starts to `chains`, so that the caller can stop them after a failure
 * of another.
 * @throws StartError when anvil is missing or fails.
 */
export async function startChains(chains: DemoChain[], signal: AbortSignal): Promise<void> {
  const starts = [
    runDemoChain(signDemo, { signal }),
    runDemoChain(combineDemos(easDemo, veraxDemo, agentDemo), { signal }),
  ]
  const add = (chain: DemoChain) => void chains.push(chain)
  await Promise.allSettled(starts.map((start) => start.then(add)))
  await Promise.all(starts)
  chains.sort((a, b) => a.chainId - b.chainId)
}

async function indexAndServe(
  chains: readonly DemoChain[],
  config: Config,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController()
  const running = AbortSignal.any([signal, ended.signal])
  const showProgress = createProgressReporter(output)
  const serving = Promise.withResolvers<void>()
  const service = runService(
    {
      config,
      output,
      composition,
      index: true,
      serve: true,
      onServing: ({ url }) => {
        printBanner(url, configOf(explorerWing, config.wings), output)
        serving.resolve()
      },
    },
    running,
  ).finally(() => serving.resolve())
  // The histories begin when the service answers: before, they would delay its start.
  const lives = chains.map(async (chain) => {
    await serving.promise
    await chain.live(running, {
      onProgress: (progress) => showProgress(chain.name, progress),
      onProblem: (problem) => output.log.error(`${chain.name}: ${problem}`),
    })
  })
  // The first to end, by a failure or the signal, ends the others.
  const tasks = [service, ...lives].map((task) => task.finally(() => ended.abort()))
  await Promise.allSettled(tasks)
  await Promise.all(tasks)
}

/** On a terminal, shows the number of attestations of each chain until all histories are complete. */
function createProgressReporter({ showLive }: Output): (chain: string, progress: DemoProgress) => void {
  const states = new Map<string, readonly string[]>()
  let shownMs = 0
  return (chain, progress) => {
    if (progress.stage === 'living') states.delete(chain)
    else states.set(chain, ['', chain, describeStage(progress)])
    // Hundreds of attestations a second are made; a person reads a few updates a second.
    if (progress.stage === 'populating' && performance.now() - shownMs < liveIntervalMs) return
    shownMs = performance.now()
    showLive(formatColumns([...states.values()], [false, false, false]))
  }
}

const liveIntervalMs = 200

function describeStage(progress: Exclude<DemoProgress, { readonly stage: 'living' }>): string {
  if (progress.stage === 'deploying') return 'deploying the contracts'
  return `${formatCount(progress.attestations)} of ${formatCount(progress.of)} attestations made`
}

function demoConfig(config: Config, chains: readonly DemoChain[], path: string): Config {
  return {
    ...config,
    database: { kind: 'sqlite', path, projections: projectionsOf(composition.wings) },
    server: {
      ...config.server,
      // One worker starts fastest, and one person uses the demo.
      workers: 1,
    },
    wings: {
      ...config.wings,
      [mcpWing.name]: true,
      [gateWing.name]: { ...configOf(gateWing, config.wings), policies: demoPolicies() },
    },
    chains: chains.map(chainConfig),
  }
}

function chainConfig({ chainId, name, contracts, finality, rpcUrl }: DemoChain): ChainConfig {
  return {
    chainId,
    name,
    explorer: null,
    rpc: [rpcUrl],
    deployments: contracts.map((contract) => ({
      protocol: contract.protocol,
      chainId,
      address: lowerAddress(contract.address),
      schemaRegistry: contract.schemaRegistry === null ? null : lowerAddress(contract.schemaRegistry),
      ...mapRegistries(contract, lowerAddress),
      startBlock: contract.startBlock,
    })),
    requests: endpointRequestsDefault,
    finality,
    pollIntervalMs,
    transactionSenders: false,
    from: null,
  }
}

function lowerAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === null) throw new TypeError(`${text} is no address`)
  return address
}

function printBanner(url: string, hasExplorer: boolean, { printLine }: Output): void {
  const links = [
    ...(hasExplorer ? [['Explorer', '/']] : []),
    ...(hasExplorer ? [['Gate', '/gate']] : []),
    ['GraphQL', '/graphql'],
    ['Agents (MCP)', '/mcp'],
    ['Reference', '/docs'],
    ['Newest records', '/scan/latest-attestations'],
  ].map(([title = '', path = '']) => ['', title, url + path])
  const lines = [
    '',
    'Attestry is running on two local chains, with the contracts of Sign Protocol, EAS and Verax, and registries of ERC-8004. Their history is being made.',
    '',
    ...formatColumns(links, [false, false, false]),
    '',
    'Ctrl-C ends everything and removes its files.',
    '',
  ]
  printLine(lines.join('\n'))
}
