import { walkSlices } from '@attestry/server/records/slices.ts'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { feedbackSchemaId, agentProtocol } from '@attestry/core/model/agents.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import type { StoredAgent } from './projection/agentQueries.ts'
import {
  everyAttestation,
  type AttestationFilter,
  type Page,
  type PageRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { RowPlace, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { steadily } from '@attestry/server/pipeline/asOf/steadily.ts'
import type { JudgeByPolicy } from '@attestry/server/apiContext.ts'
import { decodeFeedback, formatDecimal } from './decodeFeedback.ts'
import { readEasReferences } from './easReferences.ts'

/** Conditions on the feedback of an agent. */
export interface FeedbackFilter {
  readonly client: Address | null
  readonly tag1: string | null
  readonly tag2: string | null
  readonly revoked: boolean | null
}

export const everyFeedback: FeedbackFilter = { client: null, tag1: null, tag2: null, revoked: null }

/** The filter of attestations for the feedback of the agent with an id. */
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

const whole = { detail: true, schema: true }

/**
 * A page of feedback, newest first.
 * @param by a policy that reviewers have to pass; null: all feedback.
 * @throws BadParameterError as `walkFeedback`, and for a policy that the server does not have.
 */
export async function readFeedbackPage(
  reader: PastReader,
  judge: JudgeByPolicy,
  by: string | null,
  filter: AttestationFilter,
  request: PageRequest,
): Promise<Page<StoredAttestation> & { readonly summary: JudgedFeedback['summary'] | null }> {
  if (by === null) return { ...(await reader.listAttestations({ filter }, request, whole)), summary: null }
  const { page, size } = request
  const { answer } = await steadily(reader, await reader.indexVersion(), async () => {
    const { isAllowed, allowedCount, summary } = await judgeFeedback(reader, judge, by, filter)
    const rows: StoredAttestation[] = []
    let skip = (page - 1) * size
    if (skip >= allowedCount) return { total: allowedCount, rows, summary }
    for await (const some of walkFeedback(reader, filter)) {
      const allowed = some.filter(isAllowed)
      rows.push(...allowed.slice(skip, skip + size - rows.length))
      skip = Math.max(0, skip - allowed.length)
      if (rows.length === size) break
    }
    return { total: allowedCount, rows, summary }
  })
  return answer
}

/** Rows of feedback for an agent, decoded, with the reads of the other members that answers may show. */
export function describeFeedback(
  reader: PastReader,
  decodePayload: DecodePayload,
  agent: StoredAgent,
  rows: readonly StoredAttestation[],
) {
  const feedback = rows.map((row) => ({ row, ...decodeFeedback(row, decodePayload) }))
  const targets = rows.map(({ key }) => key.localId)
  return {
    said: feedback.map(({ row, value, ...texts }) => ({
      row,
      value: value && formatDecimal(value),
      ...texts,
    })),
    responseCounts: () => reader.countAgentNotes('feedbackResponse', agent.key.chainId, targets),
    easReferences: (nowSeconds: () => number) => readEasReferences(reader, agent, feedback, nowSeconds),
  }
}

/** Most feedback that is looked at one by one for an answer. */
const feedbackMax = 50_000

/**
 * All feedback that passes a filter, newest first.
 * @param read the parts that are needed; all by default.
 * @throws BadParameterError if there is more than is looked at one by one.
 */
export async function* walkFeedback(
  reader: PastReader,
  filter: AttestationFilter,
  read = whole,
): AsyncGenerator<readonly StoredAttestation[]> {
  let seen = 0
  const slice = (after: RowPlace | null, limit: number) =>
    reader.sliceAttestations({ filter, order: 'newestFirst', after, limit }, read)
  for await (const rows of walkSlices(slice)) {
    seen += rows.length
    if (seen > feedbackMax) {
      throw new BadParameterError(
        `This agent has more than ${feedbackMax} feedback, which one answer does not look at; narrow it by client or tag1.`,
      )
    }
    yield rows
  }
}

/** The verdicts of a policy on the reviewers of feedback. */
export interface JudgedFeedback {
  readonly isAllowed: (feedback: Pick<StoredAttestation, 'attester'>) => boolean
  readonly allowedCount: number
  /** The members of answers about it. */
  readonly summary: {
    readonly policy: string
    readonly policyHash: string
    readonly leftOut: number
    readonly unknown: number
  }
}

/** Most addresses that a policy judges at once: the reasons of its verdicts are in memory together. */
const subjectsMax = 1_000

/** Judges the reviewers of the feedback that passes a filter; the rows themselves are not kept. */
export async function judgeFeedback(
  reader: PastReader,
  judge: JudgeByPolicy,
  policy: string,
  filter: AttestationFilter,
): Promise<JudgedFeedback> {
  const counts = new Map<Address, number>()
  for await (const rows of walkFeedback(reader, filter, { detail: false, schema: false })) {
    for (const { attester } of rows) {
      const reviewer = parseAddress(attester)
      if (reviewer !== null) counts.set(reviewer, (counts.get(reviewer) ?? 0) + 1)
    }
  }
  const reviewers = [...counts.keys()]
  const allowed = new Set<Address>()
  const totals = { allow: 0, deny: 0, unknown: 0 }
  let policyHash: string
  let from = 0
  // Without any reviewer too, the policy is looked up for its hash.
  do {
    const subjects = reviewers.slice(from, (from += subjectsMax))
    const judged = await judge(reader, policy, subjects)
    policyHash = judged.policyHash
    for (const [index, subject] of subjects.entries()) {
      const verdict = judged.verdicts[index] ?? 'unknown'
      totals[verdict] += counts.get(subject) ?? 0
      if (verdict === 'allow') allowed.add(subject)
    }
  } while (from < reviewers.length)
  return {
    isAllowed: ({ attester }) => allowed.has(parseAddress(attester) as Address),
    allowedCount: totals.allow,
    summary: { policy, policyHash, leftOut: totals.deny, unknown: totals.unknown },
  }
}
