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

/** A receiver and what it is told, as the configuration says. */
export interface HookConfig {
  readonly name: string
  /** May hold a key; never shown. */
  readonly url: string
  /** `whsec_…`; two while the secret is changed. */
  readonly secrets: readonly string[]
  readonly events: ReadonlySet<HookEvent>
  /** `head`: as blocks are indexed, with reorganisations; `final`: what can no longer be taken back. */
  readonly when: 'head' | 'final'
  readonly filter: ChangeFilter
  /** After how long without progress a chain is told to be stale, in milliseconds. */
  readonly staleAfterMs: number
}
