import { isDeepStrictEqual } from 'node:util'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { findMajority } from '../model/findMajority.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { decodeRead, planRead, readBlockOf, type EventSource, type ReadState } from './fetchEvents.ts'

/**
 * Compares one record, of those that the logs announce, across all endpoints. One record is a sample: nothing in a
 * record proves that it is true, and an endpoint that alters records does not stop at one. The revocation of the record
 * is not compared, because it may change between two answers and has events. Endpoints whose record differs from the
 * majority's are quarantined.
 * @throws InconsistentChainError, retryable, if endpoints disagree: the records read before may be untrue.
 */
export async function compareRecords(
  source: EventSource,
  logs: readonly ChainLog[],
  at: ReadState,
  signal: AbortSignal,
): Promise<void> {
  if (source.client.isAlone()) return
  const announcing = logs.filter((log) => planRead(source, log) !== null)
  const log = announcing[Math.floor(announcing.length / 2)]
  const read = log === undefined ? null : planRead(source, log)
  if (log === undefined || read === null) return
  const answers = await source.client.readEverywhere(read, readBlockOf(at), signal)
  const groups: { readonly record: readonly unknown[]; readonly hosts: string[] }[] = []
  for (const { host, result } of answers) {
    const outcome = decodeRead(source, log, result, at)
    // A node that does not know the record yet has no vote.
    if (outcome.kind !== 'events') continue
    const record = outcome.events.map(withoutRevocation)
    const group = groups.find((each) => isDeepStrictEqual(each.record, record))
    if (group === undefined) groups.push({ record, hosts: [host] })
    else group.hosts.push(host)
  }
  if (groups.length < 2) return
  const { blockNumber } = log
  const facts = { blockNumber, hosts: groups.map(({ hosts }) => hosts.join(' ')) }
  const truthful = findMajority(groups.map(({ hosts }) => hosts))
  if (truthful === undefined) {
    throw new InconsistentChainError(
      `the endpoints disagree about a record of block ${blockNumber}: ${facts.hosts.join(' against ')}; only one more endpoint can tell who is right`,
      { retryable: true, facts },
    )
  }
  const untruthful = groups.flatMap(({ hosts }) => (hosts === truthful ? [] : hosts))
  for (const host of untruthful) {
    source.client.quarantine(host, `has another record of block ${blockNumber} than ${truthful.join(', ')}`)
  }
  throw new InconsistentChainError(`an endpoint gave an untrue record of block ${blockNumber}`, {
    retryable: true,
    facts,
  })
}

function withoutRevocation(event: DomainEvent): unknown {
  if (event.kind !== 'attestationMade') return event
  return { ...event, attestation: { ...event.attestation, revocationAtRead: null } }
}
