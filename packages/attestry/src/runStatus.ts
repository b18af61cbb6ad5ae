import { setTimeout as delay } from 'node:timers/promises'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import { formatStatus } from '@attestry/host/formatStatus.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import { measureBlockRate } from '@attestry/host/progress.ts'
import { summariseChain } from '@attestry/host/summariseChain.ts'
import { closing } from '@attestry/host/closing.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { formatColumns } from '@attestry/host/formatQuantities.ts'
import { probeProofs, type EndpointAbility } from './check/probeProofs.ts'

/** How long `status` waits for a backfill to commit, to measure its rate. */
const watchLimitMs = 4_000
const watchIntervalMs = 250

/** How long `status` waits for the answer of an endpoint about proofs. */
const probeLimitMs = 3_000

/**
 * The status of all chains as lines to print. Only reads, also while another process indexes. Asks each configured
 * endpoint once whether it proves the state of its chain.
 * @throws StartError when the database does not exist.
 */
export async function runStatus(
  config: Pick<Config, 'database' | 'chains'>,
  json: boolean,
): Promise<string[]> {
  const database = await openExisting(config.database)
  await using reader = closing(database.openReader())
  const rates = new Map<number, number | null>()
  const probing = probeChains(config)
  const before = await reader.listChains()
  const after = await watch(reader, before, rates)
  const chains = after.map((overview) => summariseChain(overview, rates.get(overview.status.chainId) ?? null))
  const abilities = await probing
  if (json) {
    const shown = chains.map((chain) => ({ ...chain, endpoints: abilities.get(chain.chainId) ?? [] }))
    return [JSON.stringify(shown, null, 2)]
  }
  const rows = config.chains.flatMap(({ chainId }) =>
    (abilities.get(chainId) ?? []).map((ability) => [String(chainId), ...abilityCells(ability)]),
  )
  const proofs = [['ID', 'ENDPOINT', 'PROVES', 'REASON'], ...rows]
  return [
    ...(chains.length === 0
      ? [`The index in ${database.place} has no chain yet`]
      : formatStatus(chains, Date.now())),
    ...(rows.length === 0 ? [] : ['', ...formatColumns(proofs, [true, false, false, false])]),
  ]
}

async function probeChains({
  chains,
}: Pick<Config, 'chains'>): Promise<ReadonlyMap<number, readonly EndpointAbility[]>> {
  const probed = chains.map(async (chain) => [chain.chainId, await probeProofs(chain, probeLimitMs)] as const)
  return new Map(await Promise.all(probed))
}

function abilityCells({ endpoint, provesState, reason }: EndpointAbility): readonly string[] {
  return [endpoint, provesState === null ? 'unknown' : provesState ? 'yes' : 'no', reason ?? '–']
}

/** Reads the chains until each backfill has committed once more, which gives its rate, or the time is up. */
async function watch(
  reader: IndexReader,
  before: readonly ChainOverview[],
  rates: Map<number, number | null>,
): Promise<readonly ChainOverview[]> {
  const endMs = performance.now() + watchLimitMs
  let now = before
  for (;;) {
    for (const overview of now) {
      const first = before.find(({ status }) => status.chainId === overview.status.chainId)
      const samples = [first, overview].flatMap((o) => {
        const { indexedBlock: blockNumber = null, updatedAt: atMs = null } = o?.status ?? {}
        return blockNumber === null || atMs === null ? [] : [{ blockNumber, atMs }]
      })
      rates.set(overview.status.chainId, measureBlockRate(samples))
    }
    const waiting = now.some((o) => isCatchingUp(o) && rates.get(o.status.chainId) === null)
    if (!waiting || performance.now() >= endMs) return now
    await delay(watchIntervalMs)
    now = await reader.listChains()
  }
}

/** Whether an indexer is at work on the chain: a status older than a minute is of an indexer that has ended. */
function isCatchingUp({ status }: ChainOverview): boolean {
  const { phase, updatedAt } = status
  return phase === 'backfilling' && updatedAt !== null && Date.now() - updatedAt < 60_000
}
