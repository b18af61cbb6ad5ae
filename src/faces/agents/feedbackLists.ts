import { BadParameterError } from '../../errors/apiErrors.ts'
import { feedbackSchemaId, agentProtocol } from '../../model/agents.ts'
import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { FieldCondition } from '../../model/fieldCondition.ts'
import { parseAddress, type Address } from '../../model/hex.ts'
import type { StoredAgent } from '../../store/agentQueries.ts'
import {
  endOf,
  everyAttestation,
  type AttestationFilter,
  type Page,
  type PageRequest,
} from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { RowPlace, StoredAttestation } from '../../store/storedRecords.ts'
import type { JudgeByPolicy } from '../apiContext.ts'
import { decodeFeedback, formatDecimal } from './decodeFeedback.ts'
import { readEasReferences } from './easReferences.ts'

/** What feedback of an agent is asked for. */
export interface FeedbackFilter {
  readonly client: Address | null
  readonly tag1: string | null
  readonly tag2: string | null
  readonly revoked: boolean | null
}

export const everyFeedback: FeedbackFilter = { client: null, tag1: null, tag2: null, revoked: null }

/** What the store is asked for feedback of the agent with an id. */
export function feedbackFilter(
  { key }: Pick<StoredAgent, 'key'>,
  id: string,
  { client, tag1, tag2, revoked }: FeedbackFilter,
): AttestationFilter {
  const equals = (name: string, value: string | null): FieldCondition[] =>
    value === null ? [] : [{ path: [name], operator: 'equals', values: [value] }]
  return {
    ...everyAttestation,
    schema: { chainId: key.chainId, protocol: agentProtocol, localId: feedbackSchemaId },
    recipient: { kind: 'value', value: id },
    attester: client,
    revoked,
    fields: [...equals('tag1', tag1), ...equals('tag2', tag2)],
  }
}

const whole = { detail: true, schema: true } as const

/**
 * A page of feedback, newest first.
 * @param by a policy that reviewers have to pass; null: all feedback.
 * @throws BadParameterError as `walkFeedback`, and for a policy that the server does not have.
 */
export async function readFeedbackPage(
  reader: IndexReader,
  judge: JudgeByPolicy,
  by: string | null,
  filter: AttestationFilter,
  request: PageRequest,
): Promise<Page<StoredAttestation> & { readonly summary: JudgedFeedback['summary'] | null }> {
  if (by === null) return { ...(await reader.listAttestations({ filter }, request, whole)), summary: null }
  const { allowed, summary } = await judgeFeedback(reader, judge, by, filter)
  const { page, size } = request
  return { total: allowed.length, rows: allowed.slice((page - 1) * size, page * size), summary }
}

/** What rows of feedback for an agent say, and what else answers tell of each row, read where it is asked for. */
export function describeFeedback(
  reader: IndexReader,
  decodePayload: DecodePayload,
  agent: StoredAgent,
  rows: readonly StoredAttestation[],
) {
  const feedback = rows.map((row) => decodeFeedback(row, decodePayload))
  const targets = rows.map(({ key }) => key.localId)
  return {
    said: feedback.map(({ value, ...texts }) => ({ value: value && formatDecimal(value), ...texts })),
    responseCounts: () => reader.countAgentNotes('feedbackResponse', agent.key.chainId, targets),
    easReferences: (nowSeconds: () => number) => readEasReferences(reader, agent, feedback, nowSeconds),
  }
}

/** Most feedback that is looked at one by one for an answer. */
const feedbackMax = 50_000

/**
 * All feedback that passes a filter, newest first.
 * @throws BadParameterError where there is more than is looked at one by one.
 */
export async function* walkFeedback(
  reader: IndexReader,
  filter: AttestationFilter,
): AsyncGenerator<readonly StoredAttestation[]> {
  let after: RowPlace | null = null
  let seen = 0
  for (;;) {
    const request = { filter, order: 'newestFirst', after, limit: 1_000 } as const
    const slice = await reader.sliceAttestations(request, whole)
    seen += slice.rows.length
    if (seen > feedbackMax) {
      throw new BadParameterError(
        `This agent has more than ${feedbackMax} feedback, which one answer does not look at; narrow it by client or tag1.`,
        { facts: { parameter: 'id' } },
      )
    }
    yield slice.rows
    after = endOf(slice)
    if (!slice.hasMore || after === null) return
  }
}

/** Feedback by what a policy says of its reviewers. */
export interface JudgedFeedback {
  readonly all: readonly StoredAttestation[]
  readonly allowed: readonly StoredAttestation[]
  /** What answers say of it. */
  readonly summary: {
    readonly policy: string
    readonly policyHash: string
    readonly leftOut: number
    readonly unknown: number
  }
}

/** Most addresses that a policy judges at once. */
const subjectsMax = 10_000

/** All feedback that passes a filter, by what a policy says of its reviewers. */
export async function judgeFeedback(
  reader: IndexReader,
  judge: JudgeByPolicy,
  policy: string,
  filter: AttestationFilter,
): Promise<JudgedFeedback> {
  const all: StoredAttestation[] = []
  for await (const rows of walkFeedback(reader, filter)) all.push(...rows)
  const reviewers = [...new Set(all.flatMap(({ attester }) => parseAddress(attester) ?? []))]
  const verdicts = new Map<Address, string>()
  let policyHash: string
  let from = 0
  // Without any reviewer too, the policy is looked up for its hash.
  do {
    const subjects = reviewers.slice(from, (from += subjectsMax))
    const judged = await judge(reader, policy, subjects)
    policyHash = judged.policyHash
    for (const [index, subject] of subjects.entries())
      verdicts.set(subject, judged.verdicts[index] ?? 'unknown')
  } while (from < reviewers.length)
  const verdictOf = ({ attester }: StoredAttestation) => verdicts.get(parseAddress(attester) as Address)
  return {
    all,
    allowed: all.filter((each) => verdictOf(each) === 'allow'),
    summary: {
      policy,
      policyHash,
      leftOut: all.filter((each) => verdictOf(each) === 'deny').length,
      unknown: all.filter((each) => verdictOf(each) === 'unknown').length,
    },
  }
}
