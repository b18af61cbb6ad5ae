import { StoreInvariantError } from '../errors/storeErrors.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { StoredEvent } from './indexRestore.ts'

/**
 * Makes sure that the events of a chain that is restored ascend behind the position `before`. Answers the last
 * position.
 * @throws StoreInvariantError
 */
export function checkOrder(chainId: ChainId, events: readonly StoredEvent[], before: number): number {
  let last = before
  let attested = -1
  for (const { event } of events) {
    const isName = event.kind === 'schemaNamed' && event.position === attested
    if (event.position <= last && !isName) {
      throw new StoreInvariantError(`the events of chain ${chainId} are out of order or share a position`)
    }
    last = event.position
    attested = event.kind === 'attestationMade' ? event.position : -1
  }
  return last
}
