import { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { ReadLimits } from '../protocolGraphql/budget.ts'
import { createEasEndpoints } from './addEasEndpoints.ts'
import type { EasProtocol } from './easContext.ts'

/**
 * The endpoints that answer as easscan does.
 * @param options.protocol tests replace it.
 */
export function easWing({
  limits = {},
  protocol = easInterface,
}: { readonly limits?: Partial<ReadLimits>; readonly protocol?: EasProtocol } = {}): Wing {
  return {
    name: 'eas',
    serve: ({ context, noteFailure, logFailure }) => {
      const onFailure = logFailure('a request to an EAS endpoint failed')
      return { addEndpoints: createEasEndpoints({ context, protocol, noteFailure, limits, onFailure }) }
    },
  }
}
