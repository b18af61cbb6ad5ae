import type { RecordKey, ChainId } from '../../model/compositeId.ts'
import { parseHex, type Address } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import type { AttestationFilter, Change } from '../../store/indexQueries.ts'

/** The filter of one connection; null members do not narrow. A filter by attester or recipient rejects schemas. */
export interface ChangeFilter {
  readonly schema: RecordKey | null
  readonly attester: Address | null
  readonly recipient: AttestationFilter['recipient']
  readonly chainId: ChainId | null
}

/** The parts of a change that filters compare; read once for all connections. */
export interface ChangeSubject {
  readonly chainId: ChainId
  /** The schema's own, or that an attestation is made under. */
  readonly schemaLocalId: string
  /** Lower case; null for a schema. */
  readonly attester: string | null
  /** As they are shown, but addresses and other hexadecimal in lower case. */
  readonly recipients: readonly string[]
}

/** The subject of a change; null for a reset, which concerns every connection. */
export function subjectOf(change: Change): ChangeSubject | null {
  switch (change.kind) {
    case 'attestation':
    case 'revocation':
      return subjectOfSummary(change.attestation.summaryJson)
    case 'schema':
      return subjectOfSummary(change.schema.summaryJson)
    case 'reverted':
      return subjectOfSummary(change.summaryJson)
    case 'reset':
      return null
  }
}

/** @param subject null: of a reset. */
export function passesFilter(filter: ChangeFilter, subject: ChangeSubject | null): boolean {
  if (subject === null) return true
  const { schema, attester, recipient, chainId } = filter
  if (chainId !== null && chainId !== subject.chainId) return false
  if (schema !== null) {
    if (schema.chainId !== subject.chainId || schema.localId !== subject.schemaLocalId) return false
  }
  if (attester !== null && attester !== subject.attester) return false
  if (recipient === null) return true
  return subject.recipients.includes(
    recipient.kind === 'address' ? recipient.address : foldHex(recipient.value),
  )
}

interface Summary {
  readonly chainId: string
  readonly schemaId: string
  readonly attester?: string
  readonly recipients?: readonly string[]
}

function subjectOfSummary(summaryJson: JsonFragment): ChangeSubject {
  // The fragment is JSON that our own store made, of an attestation or a schema.
  const summary = JSON.parse(`{${summaryJson}}`) as Summary
  return {
    chainId: Number(summary.chainId),
    schemaLocalId: summary.schemaId,
    attester: summary.attester?.toLowerCase() ?? null,
    recipients: (summary.recipients ?? []).map(foldHex),
  }
}

function foldHex(text: string): string {
  return parseHex(text) ?? text
}
