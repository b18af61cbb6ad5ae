import { compileSign } from './compileSign.ts'
import { demoAccount } from './demoAccounts.ts'
import { deploySign } from './deploySign.ts'
import { createDevClient, mineBlock } from './devChain.ts'
import { populate } from './populate.ts'
import { createRandom } from './random.ts'
import { startAnvil } from './startAnvil.ts'
import { trickle } from './trickle.ts'

export interface DemoChainOptions {
  /** 31337 by default. */
  readonly chainId?: number
  /** 0, the default, takes a free port. */
  readonly port?: number
  /** All of the demo's 45 by default. */
  readonly schemas?: number
  /** 3,300 by default. */
  readonly attestations?: number
  readonly seed?: number
  /** How many days the history reaches back; 60 by default. */
  readonly days?: number
  /** Aborts the start, which then rejects with the signal's reason, and ends the chain. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: DemoProgress) => void
}

/** The stage of the start; `populating` is reported after each block, with the attestations made so far. */
export type DemoProgress =
  | { readonly stage: 'compiling' | 'starting' | 'deploying' }
  | { readonly stage: 'populating'; readonly attestations: number; readonly of: number }

export interface DemoChain {
  readonly rpcUrl: string
  readonly chainId: number
  /** Blocks behind the head that a reader may ask for the state of; older blocks count as final. */
  readonly finality: number
  /** In the form of `contracts` in the configuration. */
  readonly contracts: readonly [
    { readonly protocol: 'sign'; readonly address: string; readonly startBlock: number },
  ]
  /** Adds attestations until the signal is aborted. Never rejects. */
  startTrickle(signal: AbortSignal, onProblem?: (problem: string) => void): Promise<void>
  /** Ends the chain within a second and removes its files. May be called again. */
  stop(): Promise<void>
}

/**
 * anvil keeps each state as a copy of several megabytes: 16 states instead of 72 take 220 MB less. A reader that lags behind by more
 * than `finality` blocks reads them at the newest state.
 */
const finality = 8
const keptStates = 16

/**
 * Starts a local chain with the real Sign Protocol and a history of some weeks that ends now. Afterwards the chain mines each
 * transaction at once, also those of other clients.
 * @throws StartError when the chain or the compiler is missing or fails.
 */
export async function runDemoChain(options: DemoChainOptions = {}): Promise<DemoChain> {
  const { signal } = options
  const seed = options.seed ?? 1
  const aborting = signal === undefined ? {} : { signal }
  options.onProgress?.({ stage: 'compiling' })
  const artifacts = await compileSign(aborting)

  options.onProgress?.({ stage: 'starting' })
  const nowS = Math.floor(Date.now() / 1000)
  const genesisTimeS = nowS - (options.days ?? 60) * 86_400
  const anvil = await startAnvil({
    chainId: options.chainId ?? 31_337,
    port: options.port ?? 0,
    genesisTimeS,
    manualMining: true,
    keptStates,
    ...aborting,
  })
  try {
    const client = createDevClient(anvil.url, signal)
    options.onProgress?.({ stage: 'deploying' })
    let timeS = genesisTimeS
    const deployment = await deploySign(client, artifacts, {
      from: demoAccount(0).address,
      nextTimestampS: () => (timeS += 12),
    })
    const populated = await populate(client, deployment, {
      startTimeS: timeS + 12,
      endTimeS: nowS,
      seed,
      ...(options.schemas === undefined ? {} : { schemas: options.schemas }),
      ...(options.attestations === undefined ? {} : { attestations: options.attestations }),
      onProgress: (progress) => options.onProgress?.({ stage: 'populating', ...progress }),
    })
    // The chain's clock continues from the newest block: this block sets the clock to the present.
    await mineBlock(client, Math.max(nowS + 1, Math.floor(Date.now() / 1000)))
    await client.setAutomine(true)
    return {
      rpcUrl: anvil.url,
      chainId: anvil.chainId,
      finality,
      contracts: [{ protocol: 'sign', address: deployment.address, startBlock: deployment.startBlock }],
      startTrickle: (trickleSignal, onProblem) =>
        trickle(createDevClient(anvil.url, trickleSignal, false), deployment, populated, {
          random: createRandom(seed + 1),
          signal: trickleSignal,
          ...(onProblem === undefined ? {} : { onProblem }),
        }),
      stop: () => anvil.stop(),
    }
  } catch (error) {
    await anvil.stop()
    signal?.throwIfAborted()
    throw error
  }
}
