import { erc8004Interface } from '@attestry/core/protocols/erc8004/erc8004Interface.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import type { ReadLimits } from '../engine/budget.ts'
import { createErc8004Endpoints } from './addErc8004Endpoints.ts'
import type { Erc8004Protocol } from './erc8004Context.ts'

/**
 * The endpoints that answer as agent0lab's subgraph does.
 * @param options.protocol tests replace it.
 */
export function serveErc8004({
  limits = {},
  protocol = erc8004Interface,
}: { readonly limits?: Partial<ReadLimits>; readonly protocol?: Erc8004Protocol } = {}): ServedWing {
  return {
    endpoints: ({ context, noteFailure, logFailure }) => {
      const onFailure = logFailure('a request to an ERC-8004 endpoint failed')
      return createErc8004Endpoints({ context, protocol, noteFailure, limits, onFailure })
    },
  }
}
