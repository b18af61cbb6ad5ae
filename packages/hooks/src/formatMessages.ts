import { passesFilter, subjectOf } from '@attestry/core/changes/changeFilter.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { Change } from '@attestry/core/index/indexQueries.ts'
import type { HookMessage } from './deliverMessage.ts'
import type { HookConfig, HookEvent } from './hookConfig.ts'

/** A change of a record; a reset is no message. */
export type RecordChange = Exclude<Change, { readonly kind: 'reset' }>

const eventOf = {
  attestation: 'attestation.made',
  revocation: 'attestation.revoked',
  schema: 'schema.registered',
  anchor: 'anchor.made',
  reverted: 'record.reverted',
  revertedAnchor: 'record.reverted',
} as const satisfies Record<RecordChange['kind'], HookEvent>

/** Presents a change: the record as its own path answers it, decoded; of a reverted one, its summary. */
export type PresentChange = (change: RecordChange) => Promise<object>

/** Functions that decode payloads and present changes. */
export interface ChangeForm {
  readonly decodePayload: DecodePayload
  readonly presentChange: PresentChange
}

/** The message that reports a change to a hook; null if the hook does not ask for such changes. */
export async function formatChange(
  { events, filter }: Pick<HookConfig, 'events' | 'filter'>,
  { decodePayload, presentChange }: ChangeForm,
  change: RecordChange,
  id: string,
  now: number,
): Promise<HookMessage | null> {
  const event = eventOf[change.kind]
  if (!events.has(event) || !passesFilter(filter, subjectOf(change, decodePayload))) return null
  return formatMessage(event, id, now, await presentChange(change))
}

/** A message of Standard Webhooks. */
export function formatMessage(event: HookEvent, id: string, now: number, data: object): HookMessage {
  return { id, body: JSON.stringify({ type: event, timestamp: new Date(now).toISOString(), data }) }
}
