import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { decodeFeedback, formatDecimal, type Feedback } from '@attestry/agents/decodeFeedback.ts'
import type { Budget } from '../engine/budget.ts'
import { shortId, subjectOfRecord } from './agentIds.ts'

/** Feedback in a query. */
export interface FeedbackNode {
  readonly stored: StoredAttestation
  readonly said: Feedback
  /** The word of the agent's number. */
  readonly subject: LocalId
}

export function feedbackNode(
  { decodePayload, budget }: { readonly decodePayload: DecodePayload; readonly budget: Budget },
  stored: StoredAttestation,
): FeedbackNode {
  const said = decodeFeedback(stored, decodePayload)
  budget.write(said.tag1.length + said.tag2.length + said.endpoint.length + said.feedbackURI.length)
  return { stored, said, subject: subjectOfRecord(stored) }
}

/** The id in the subgraph: `<chainId>:<agentId>:<client>:<index>`. */
export function feedbackShortId({ stored, said, subject }: FeedbackNode): string {
  const { chainId } = stored.key
  return `${shortId({ chainId, subject })}:${stored.attester.toLowerCase()}:${said.feedbackIndex}`
}

/** The value as decimal text; zero where the payload cannot be decoded. */
export function valueText({ said }: FeedbackNode): string {
  return said.value === null ? '0' : formatDecimal(said.value)
}

/** The value as an `Int`, within its bounds. */
export function scoreOf(node: FeedbackNode): number {
  const value = Math.trunc(Number(valueText(node)))
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, value)) || 0
}
