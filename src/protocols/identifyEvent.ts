import type { ProtocolName } from '../model/records.ts'
import type { ChainLog, IdentifiedEvent } from './protocolAdapter.ts'
import { findProtocol } from './registry.ts'

/** Which record's event a log is in the terms of a protocol; null where it is none, or there is no such protocol. */
export function identifyEvent(
  protocol: ProtocolName,
  log: Pick<ChainLog, 'address' | 'topics' | 'data'>,
): IdentifiedEvent | null {
  return findProtocol(protocol)?.identifyEvent(log) ?? null
}
