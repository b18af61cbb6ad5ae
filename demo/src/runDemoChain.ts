import { demoAccount } from './demoAccounts.ts'
import type { DemoContract, DemoProtocol } from './demoProtocol.ts'
import { createDevClient, mineBlock } from './devChain.ts'
import { populate } from './populate.ts'
import { createRandom } from './random.ts'
import { type Anvil, startAnvil } from './startAnvil.ts'
import { trickle } from './trickle.ts'

export interface DemoChainOptions {
  /** Attestations of the history; by default as many as the protocol's demo has. */
  readonly attestations?: number
  readonly seed?: number
  /** How many days the history reaches back; 60 by default. */
  readonly days?: number
  /** Aborts the start, which then rejects with the signal's reason, and ends the chain. */
  readonly signal?: AbortSignal
}

/**
 * `populating` is reported after each block, with the attestations made so far; `living` once the history is complete.
 */
export type DemoProgress =
  | { readonly stage: 'deploying' }
  | { readonly stage: 'living' }
  | { readonly stage: 'populating'; readonly attestations: number; readonly of: number }

export interface DemoListener {
  readonly onProgress?: (progress: DemoProgress) => void
  /** Receives each error of the living chain as one sentence; the chain goes on. */
  readonly onProblem?: (problem: string) => void
}

export interface DemoChain {
  readonly rpcUrl: string
  readonly chainId: number
  readonly name: string
  /** Blocks behind the head that a reader may ask for the state of; older blocks count as final. */
  readonly finality: number
  /** The contracts to index, which `live` deploys. */
  readonly contracts: readonly DemoContract[]
  /**
   * Deploys the contracts, makes a history of some weeks that ends now, and adds to it until the signal is aborted.
   * Afterwards the chain mines each transaction at once, also those of other clients.
   * @throws StartError when the contracts cannot be compiled or a transaction of the history fails.
   */
  live(signal: AbortSignal, listener?: DemoListener): Promise<void>
  /** Ends the chain within a second and removes its files. May be called again. */
  stop(): Promise<void>
}

/**
 * anvil keeps each state as a copy of several megabytes: 16 states instead of 72 take 220 MB less. A reader that lags
 * behind by more than `finality` blocks reads them at the newest state.
 */
const finality = 8
const keptStates = 16

/**
 * Starts an empty local chain for the real contracts of a protocol.
 * @throws StartError when anvil is missing or fails.
 */
export async function runDemoChain<Id>(
  protocol: DemoProtocol<Id>,
  options: DemoChainOptions = {},
): Promise<DemoChain> {
  const { chainId, chainName, contracts } = protocol
  const genesisTimeS = nowS() - (options.days ?? 60) * 86_400
  const anvil = await startAnvil({
    chainId,
    genesisTimeS,
    manualMining: true,
    keptStates,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  return {
    rpcUrl: anvil.url,
    chainId,
    name: chainName,
    finality,
    contracts,
    live: (signal, listener = {}) =>
      live(anvil, protocol, { ...options, genesisTimeS, signal, listener }).catch((error: unknown) => {
        // Errors after the abort are caused by it.
        if (!signal.aborted) throw error
      }),
    stop: () => anvil.stop(),
  }
}

interface LiveOptions extends DemoChainOptions {
  readonly genesisTimeS: number
  readonly signal: AbortSignal
  readonly listener: DemoListener
}

async function live<Id>(
  { url }: Anvil,
  protocol: DemoProtocol<Id>,
  { genesisTimeS, signal, listener, seed = 1, attestations }: LiveOptions,
): Promise<void> {
  const { onProgress, onProblem } = listener
  const client = createDevClient(url, signal)
  onProgress?.({ stage: 'deploying' })
  let timeS = genesisTimeS
  const calls = await protocol.deploy(client, {
    from: demoAccount(0).address,
    nextTimestampS: () => (timeS += 12),
    signal,
  })
  const endTimeS = nowS()
  const populated = await populate(client, calls, {
    schemas: protocol.schemas,
    attestations: attestations ?? protocol.attestations,
    startTimeS: timeS + 12,
    endTimeS,
    seed,
    onProgress: (progress) => onProgress?.({ stage: 'populating', ...progress }),
  })
  // The chain's clock continues from the newest block: this block sets the clock to the present.
  await mineBlock(client, Math.max(endTimeS + 1, nowS()))
  await client.setAutomine(true)
  onProgress?.({ stage: 'living' })
  await trickle(createDevClient(url, signal, false), calls, populated, {
    random: createRandom(seed + 1),
    signal,
    ...(onProblem === undefined ? {} : { onProblem }),
  })
}

function nowS(): number {
  return Math.floor(Date.now() / 1000)
}
