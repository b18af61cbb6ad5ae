import type { ChainId } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { positionBlock } from '../model/position.ts'
import type { Difference } from '../store/indexAudit.ts'
import { fieldsOfEvent, subjectOfEvent } from './describeEvent.ts'

/** Most characters of a value in a difference. */
const shownMax = 200

/**
 * The differences between the stored events of some blocks and the events of the chain; both ascend. The blocks of the
 * differences have to be read again.
 */
export function compareEvents(
  chainId: ChainId,
  stored: readonly DomainEvent[],
  onChain: readonly DomainEvent[],
): readonly Difference[] {
  const storedByPlace = new Map(stored.map((event) => [placeOf(event), event]))
  const differences: Difference[] = []
  for (const event of onChain) {
    const held = storedByPlace.get(placeOf(event))
    if (held === undefined) differences.push(wholeEvent('missing', chainId, event))
    else differences.push(...compareFields(chainId, held, event))
    storedByPlace.delete(placeOf(event))
  }
  for (const event of storedByPlace.values()) differences.push(wholeEvent('extra', chainId, event))
  return differences
}

/** An attestation and the schema name that it gives share a position. No other events do. */
function placeOf(event: DomainEvent): string {
  return `${event.position}${event.kind === 'schemaNamed' ? ' name' : ''}`
}

function compareFields(chainId: ChainId, stored: DomainEvent, onChain: DomainEvent): Difference[] {
  const before = fieldsOfEvent(stored)
  const after = fieldsOfEvent(onChain)
  const names = stored.kind === onChain.kind ? new Set([...before.keys(), ...after.keys()]) : ['kind']
  const differences: Difference[] = []
  for (const field of names) {
    const [was, is] = [before.get(field) ?? null, after.get(field) ?? null]
    if (was === is) continue
    // Rows of earlier layouts lack the flag, and read as the schema's, which is `true` where the record's is.
    if (field === 'revocable' && was === 'null' && is === 'true') continue
    // The contract is read for the body, and answers the newest: a later event has changed the body meanwhile.
    if (field === 'body') continue
    // The configuration decides whether senders are fetched: an unknown sender contradicts nothing.
    if (field === 'transactionSender' && (was === 'null' || is === 'null')) continue
    differences.push({
      ...wholeEvent('changed', chainId, onChain),
      field,
      stored: cut(was),
      expected: cut(is),
    })
  }
  return differences
}

function wholeEvent(what: 'missing' | 'extra' | 'changed', chainId: ChainId, event: DomainEvent): Difference {
  return {
    what,
    chainId,
    blockNumber: positionBlock(event.position),
    subject: subjectOfEvent(chainId, event),
    field: null,
    stored: what === 'extra' ? event.kind : null,
    expected: what === 'missing' ? event.kind : null,
    remedy: 'reindex',
  }
}

function cut(text: string | null): string | null {
  return text === null || text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`
}
