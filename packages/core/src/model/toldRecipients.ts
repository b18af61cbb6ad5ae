import type { Attestation } from './records.ts'

/** Protocols whose logs name one recipient. A projection adds others in front of it. */
const protocolsOfOne: ReadonlySet<string> = new Set(['erc8004'])

/** The recipients of an attestation that its log names, without those that a projection has added. */
export function toldRecipients({
  protocol,
  recipients,
}: Pick<Attestation, 'protocol' | 'recipients'>): Attestation['recipients'] {
  return protocolsOfOne.has(protocol) ? recipients.slice(-1) : recipients
}
