import { veraxInterface } from '@attestry/core/protocols/verax/veraxInterface.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import type { ReadLimits } from '../engine/budget.ts'
import { createVeraxEndpoints } from './addVeraxEndpoints.ts'
import type { VeraxProtocol } from './veraxContext.ts'

/**
 * The endpoints that answer as Verax's subgraph does.
 * @param options.protocol tests replace it.
 */
export function serveVerax({
  limits = {},
  protocol = veraxInterface,
}: { readonly limits?: Partial<ReadLimits>; readonly protocol?: VeraxProtocol } = {}): ServedWing {
  return {
    endpoints: ({ context, noteFailure, logFailure }) => {
      const onFailure = logFailure('a request to a Verax endpoint failed')
      return createVeraxEndpoints({ context, protocol, noteFailure, limits, onFailure })
    },
  }
}
