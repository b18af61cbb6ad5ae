import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { shareTurn } from '@attestry/core/model/threadTurns.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import type { FoundAgent } from './agentDirectory.ts'
import { steadily } from '@attestry/server/pipeline/asOf/steadily.ts'
import {
  everyFeedback,
  feedbackFilter,
  judgeFeedback,
  walkFeedback,
  type JudgedFeedback,
} from './feedbackLists.ts'
import { addDecimals, averageOf, decodeFeedback, formatDecimal, type Decimal } from './decodeFeedback.ts'

/** Sums over feedback. Values are decimal texts; null without feedback. */
export interface Scores {
  readonly count: number
  readonly reviewerCount: number
  readonly average: string | null
  readonly tags: readonly { readonly tag: string; readonly count: number; readonly average: string }[]
}

/** Most tags of an answer. */
const tagsMax = 100

/**
 * Sums over the feedback for an agent that is not revoked.
 * @param by a policy: the feedback of reviewers that pass it is summed separately as well; null without one.
 * @throws BadParameterError as `judgeFeedback`.
 */
export async function readReputation(
  { decodePayload, judgeByPolicy }: Pick<ApiContext, 'decodePayload' | 'judgeByPolicy'>,
  reader: PastReader,
  { agent, id }: FoundAgent,
  by: string | null,
): Promise<Scores & { readonly by: (Scores & JudgedFeedback['summary']) | null }> {
  const filter = feedbackFilter(agent, id, { ...everyFeedback, revoked: false })
  const { answer } = await steadily(reader, await reader.indexVersion(), async () => {
    const judged = by === null ? null : await judgeFeedback(reader, judgeByPolicy, by, filter)
    const [all, some] = [createScores(decodePayload), createScores(decodePayload)]
    for await (const rows of walkFeedback(reader, filter)) {
      await all.add(rows)
      if (judged !== null) await some.add(rows.filter(judged.isAllowed))
    }
    return { ...all.scores(), by: judged && { ...some.scores(), ...judged.summary } }
  })
  return answer
}

/** Adds up feedback as it comes. */
function createScores(decodePayload: DecodePayload): {
  readonly add: (rows: readonly StoredAttestation[]) => Promise<void>
  readonly scores: () => Scores
} {
  const reviewers = new Set<string>()
  const tags = new Map<string, { count: number; sum: Decimal }>()
  let count = 0
  let sum: Decimal = { digits: 0n, decimals: 0 }
  return {
    add: async (rows) => {
      for (const row of rows) {
        const paused = shareTurn()
        if (paused !== undefined) await paused
        const { value, tag1 } = decodeFeedback(row, decodePayload)
        if (value === null) continue
        count += 1
        sum = addDecimals(sum, value)
        reviewers.add(row.attester)
        const tag = tags.get(tag1) ?? { count: 0, sum: { digits: 0n, decimals: 0 } }
        tags.set(tag1, { count: tag.count + 1, sum: addDecimals(tag.sum, value) })
      }
    },
    scores: () => ({
      count,
      reviewerCount: reviewers.size,
      average: count === 0 ? null : formatDecimal(averageOf(sum, count)),
      tags: Array.from(tags, ([tag, each]) => ({
        tag,
        count: each.count,
        average: formatDecimal(averageOf(each.sum, each.count)),
      }))
        .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
        .slice(0, tagsMax),
    }),
  }
}
