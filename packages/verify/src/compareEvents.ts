import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { isToldWhole, type DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock, positionIndex } from '@attestry/core/model/position.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { fieldsOfEvent, subjectOfEvent } from './describeEvent.ts'
import { pairEvents } from './pairEvents.ts'

/** Most characters of a value in a difference. */
const shownMax = 200

/**
 * The differences between the stored events of some blocks and the events of the chain; both ascend. The blocks of the
 * differences have to be read again. An event that is missing or too many moves the later events of its block: where
 * nothing else is wrong with them, they are no differences.
 */
export function compareEvents(
  chainId: ChainId,
  stored: readonly DomainEvent[],
  onChain: readonly DomainEvent[],
): readonly Difference[] {
  const { pairs, before, after } = pairEvents(stored, onChain, { identity: identityOf, place: placeOf })
  const differences = [
    ...pairs.flatMap(([held, event]) => compareFields(chainId, held, event)),
    ...after.map((event) => wholeEvent('missing', chainId, event)),
    ...before.map((event) => wholeEvent('extra', chainId, event)),
  ]
  const differing = new Set(differences.map(({ blockNumber }) => blockNumber))
  const moved = pairs.filter(
    ([held, event]) => held.position !== event.position && !differing.has(positionBlock(event.position)),
  )
  return [
    ...differences,
    ...moved.map(([held, event]) => ({
      ...wholeEvent('changed', chainId, event),
      field: 'eventIndex',
      stored: String(positionIndex(held.position)),
      expected: String(positionIndex(event.position)),
    })),
  ]
}

/** Key of an event within its block: the id for events of records, all members but the body for any other. */
function identityOf(event: DomainEvent): string {
  const block = positionBlock(event.position)
  switch (event.kind) {
    case 'schemaRegistered':
      return `${block} ${event.kind} ${event.schema.protocol} ${event.schema.key.localId}`
    case 'attestationMade':
      return `${block} ${event.kind} ${event.attestation.protocol} ${event.attestation.key.localId}`
    case 'attestationRevoked':
      return `${block} ${event.kind} ${event.protocol} ${event.localId}`
    case 'schemaNamed':
    case 'metadataSet':
    case 'anchorMade':
    case 'undecodableLog':
      return `${block} ${JSON.stringify([...fieldsOfEvent(event)].filter(([field]) => field !== 'body'))}`
  }
}

/**
 * An attestation and the schema name that it gives share a position, and so do the first agent and the schema that its
 * registration stands for. No other events do.
 */
function placeOf(event: DomainEvent): string {
  const isBeside = event.kind === 'schemaNamed' || (event.kind === 'metadataSet' && event.of === 'agent')
  return `${event.position}${isBeside ? ` ${event.kind}` : ''}`
}

function compareFields(chainId: ChainId, stored: DomainEvent, onChain: DomainEvent): Difference[] {
  const before = fieldsOfEvent(stored)
  const after = fieldsOfEvent(onChain)
  const names = stored.kind === onChain.kind ? new Set([...before.keys(), ...after.keys()]) : ['kind']
  const differences: Difference[] = []
  for (const field of names) {
    const [was, is] = [before.get(field) ?? null, after.get(field) ?? null]
    if (was === is) continue
    // The body is read from the contract, which answers the newest one. A later event may have changed it.
    if (field === 'body' && !(onChain.kind === 'metadataSet' && isToldWhole(onChain.of))) continue
    // The parts that a schema inherits from its parent are not in its own event.
    if (fieldLists.has(field) && extendsAnother(onChain)) continue
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

const fieldLists: ReadonlySet<string> = new Set(['data', 'payloadData'])

function extendsAnother(event: DomainEvent): boolean {
  return event.kind === 'schemaRegistered' && event.schema.definition.extends !== undefined
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
