import { createChainClient } from '@attestry/core/chain/createChainClient.ts'
import { createSharedBudget } from '@attestry/core/chain/requestBudget.ts'
import { steadyClock, systemClock } from '@attestry/core/model/clock.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { AskedChain } from '../chainComparison.ts'
import type { AskChain } from '../verifyIndex.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'

/** Clients of the configured chains that have an endpoint, each created at its first use. */
export function openChains(
  { chains, requests }: Pick<Config, 'chains' | 'requests'>,
  callBudgetMs: number,
): { readonly ask: AskChain; close(): Promise<void> } {
  const budget = createSharedBudget(requests, steadyClock)
  const open = new Map<ChainId, AskedChain>()
  return {
    ask: (chainId) => {
      const known = open.get(chainId)
      const chain = chains.find((each) => each.chainId === chainId)
      if (known !== undefined || chain === undefined || chain.rpc.length === 0) return known ?? null
      const client = createChainClient({
        chainId,
        endpoints: chain.rpc,
        concurrencyPerEndpoint: chain.requests.inFlight,
        callsPerSecond: chain.requests.perSecond,
        sharedBudget: budget,
        callBudgetMs,
      })
      const { finality, transactionSenders } = chain
      const asked = { client, finality, transactionSenders, clock: systemClock, unannounced: [] }
      open.set(chainId, asked)
      return asked
    },
    close: async () => {
      await Promise.allSettled([...open.values()].map(({ client }) => client.close()))
    },
  }
}
