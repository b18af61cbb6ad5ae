import { StoreInvariantError } from '../errors/storeErrors.ts'
import type { ChainId } from '../model/compositeId.ts'
import { standsBeside, type DomainEvent } from '../model/domainEvent.ts'
import type { StoredEvent } from './indexRestore.ts'

/**
 * Makes sure that the events of a chain that is restored ascend behind the position `before`. Answers the last
 * position.
 * @throws StoreInvariantError
 */
export function checkOrder(chainId: ChainId, events: readonly StoredEvent[], before: number): number {
  let last = before
  let previous: DomainEvent | undefined
  for (const { event } of events) {
    if (event.position <= last && !standsBeside(event, previous)) {
      throw new StoreInvariantError(`the events of chain ${chainId} are out of order or share a position`)
    }
    last = event.position
    previous = event
  }
  return last
}
