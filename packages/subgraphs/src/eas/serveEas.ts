import { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import type { ReadLimits } from '../engine/budget.ts'
import { createEasEndpoints } from './addEasEndpoints.ts'
import type { EasProtocol } from './easContext.ts'

/**
 * The endpoints that answer as easscan does.
 * @param options.protocol tests replace it.
 */
export function serveEas({
  limits = {},
  protocol = easInterface,
}: { readonly limits?: Partial<ReadLimits>; readonly protocol?: EasProtocol } = {}): ServedWing {
  return {
    endpoints: ({ context, noteFailure, logFailure }) => {
      const onFailure = logFailure('a request to an EAS endpoint failed')
      return createEasEndpoints({ context, protocol, noteFailure, limits, onFailure })
    },
  }
}
