import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { shareTurn } from '@attestry/core/model/threadTurns.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { steadily } from '@attestry/server/pipeline/asOf/steadily.ts'
import type { FoundAgent } from './agentDirectory.ts'
import { decodeFeedback, payloadTexts, type Decimal } from './decodeFeedback.ts'
import { everyFeedback, feedbackFilter, walkFeedback } from './feedbackLists.ts'

/** The feedback that a summary is about, as `getSummary` of the registry takes it. */
export interface SummaryQuestion {
  /** At least one. A client that stands here twice counts twice. */
  readonly clients: readonly Address[]
  /** Exactly this tag; empty: any. */
  readonly tag1: string
  readonly tag2: string
}

/** The result of `getSummary` of the registry of reputation. */
export interface Summary {
  readonly count: number
  /** An int128 in decimal digits, or `overflow` where the registry would wrap it or revert. */
  readonly value: string
  readonly valueDecimals: number
}

/** Most accounts of one question: a URL holds as many. */
export const clientsMax = 250

/**
 * Summarises feedback that is not revoked as the registry does (`ReputationRegistryUpgradeable.sol` 2.0.0).
 * @throws BadParameterError for a question without clients, as the contract reverts, and as `walkFeedback`.
 */
export async function readSummary(
  { decodePayload }: Pick<ApiContext, 'decodePayload'>,
  reader: PastReader,
  { agent, id }: FoundAgent,
  { clients, tag1, tag2 }: SummaryQuestion,
): Promise<Summary> {
  if (clients.length === 0) {
    throw new BadParameterError(
      'A summary needs clients, since anybody may give feedback: name them by client[in]=0x…,0x….',
    )
  }
  if (clients.length > clientsMax) {
    throw new BadParameterError(`A summary takes up to ${clientsMax} clients; it had ${clients.length}.`)
  }
  const { answer } = await steadily(reader, await reader.indexVersion(), async () => {
    const values: Decimal[] = []
    for (const [client, times] of countEach(clients)) {
      const filter = feedbackFilter(agent, id, { ...everyFeedback, client, revoked: false })
      for await (const rows of walkFeedback(reader, filter)) {
        for (const row of rows) {
          const paused = shareTurn()
          if (paused !== undefined) await paused
          const text = payloadTexts(row, decodePayload)
          if ((tag1 !== '' && text('tag1') !== tag1) || (tag2 !== '' && text('tag2') !== tag2)) continue
          const { value } = decodeFeedback(row, decodePayload)
          if (value !== null) for (let time = 0; time < times; time++) values.push(value)
        }
      }
    }
    return summarize(values)
  })
  return answer
}

function countEach<Item>(items: readonly Item[]): ReadonlyMap<Item, number> {
  const counts = new Map<Item, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

/** Decimals in which the registry adds up. It takes no feedback with more. */
const sumDecimals = 18

/**
 * The average in the most frequent number of decimals, the least of equally frequent ones. The registry rounds towards
 * zero twice: to 18 decimals, then to those of the result.
 */
export function summarize(values: readonly Decimal[]): Summary {
  if (values.length === 0) return { count: 0, value: '0', valueDecimals: 0 }
  const frequencies = countEach(values.map(({ decimals }) => decimals))
  const [[valueDecimals] = [0]] = [...frequencies].sort(([a, times], [b, others]) => others - times || a - b)
  const count = values.length
  if ([...frequencies.keys()].some((decimals) => decimals > sumDecimals)) {
    return { count, value: 'overflow', valueDecimals }
  }
  const sum = values.reduce(
    (total, { digits, decimals }) => total + digits * 10n ** BigInt(sumDecimals - decimals),
    0n,
  )
  const value = sum / BigInt(count) / 10n ** BigInt(sumDecimals - valueDecimals)
  return { count, value: BigInt.asIntN(128, value) === value ? String(value) : 'overflow', valueDecimals }
}
