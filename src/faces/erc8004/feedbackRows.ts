import type { LocalId } from '../../model/compositeId.ts'
import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { StoredAttestation } from '../../store/storedRecords.ts'
import { decodeFeedback, formatDecimal, type Feedback } from '../agents/decodeFeedback.ts'
import type { Budget } from '../protocolGraphql/budget.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
import { uriType } from './agentRows.ts'
import { shortId, subjectOfRecord } from './agentIds.ts'
import { nullValue, sortableUint } from './readWhere.ts'

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

/** The value of a field that filters and orders take; what is null is empty. */
export function feedbackValue(node: FeedbackNode, field: string): FieldValue {
  const { stored, said, subject } = node
  switch (field) {
    case 'id':
      return feedbackShortId(node)
    case 'agent':
      return shortId({ chainId: stored.key.chainId, subject })
    case 'clientAddress':
      return stored.attester.toLowerCase()
    case 'feedbackIndex':
      return sortableUint(said.feedbackIndex)
    case 'value':
      return Number(valueText(node))
    case 'score':
      return scoreOf(node)
    case 'tag1':
    case 'tag2':
    case 'endpoint':
    case 'feedbackURI':
      return said[field]
    case 'feedbackUri':
      return said.feedbackURI
    case 'feedbackURIType':
      return uriType(said.feedbackURI)
    case 'feedbackHash':
      return said.feedbackHash
    case 'isRevoked':
      return stored.revocation !== null
    case 'createdAt':
      return stored.attestTimestamp
    case 'revokedAt':
      return stored.revocation === null ? nullValue : Number(stored.revocation.timestamp)
    default:
      throw new TypeError(`feedback has no field ${field}`)
  }
}

/** The value as an `Int`, within its bounds. */
export function scoreOf(node: FeedbackNode): number {
  const value = Math.trunc(Number(valueText(node)))
  return Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, value)) || 0
}
