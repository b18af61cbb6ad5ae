import type { ChangeFilter } from '@attestry/core/changes/changeFilter.ts'

/** The kinds of messages that a receiver can be sent. */
export const hookEvents = [
  'attestation.made',
  'attestation.revoked',
  'schema.registered',
  'anchor.made',
  'record.reverted',
  'chain.stale',
  'chain.fresh',
] as const

export type HookEvent = (typeof hookEvents)[number]

/** A receiver and the messages that it gets, as configured. */
export interface HookConfig {
  readonly name: string
  /** May hold a key; never shown. */
  readonly url: string
  /** `whsec_…`; two while the secret is changed. */
  readonly secrets: readonly string[]
  readonly events: ReadonlySet<HookEvent>
  /** `head`: changes as blocks are indexed, reorganisations included; `final`: only final changes. */
  readonly when: 'head' | 'final'
  readonly filter: ChangeFilter
  /** Time without progress after which a chain is reported stale, in milliseconds. */
  readonly staleAfterMs: number
}
