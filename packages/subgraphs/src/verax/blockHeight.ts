import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { parseHash, type Hash } from '@attestry/core/model/hex.ts'
import { blockNumberMax } from '@attestry/core/model/position.ts'
import type { Question } from '@attestry/server/pipeline/asOf/openView.ts'
import { InContext } from '@attestry/server/interfaces/graphql/execution/executePlan.ts'
import type { ArgumentValues } from '@attestry/server/interfaces/graphql/execution/plan.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import { checkReached, type BlockHeight } from '../engine/graphNode/chainState.ts'
import type { VeraxContext } from './veraxContext.ts'

/**
 * Does the work of a root as of the block that its argument `block` names, by its number or hash; `number_gte` asks for
 * the newest state, which has to have the block.
 * @throws BadParameterError; as `resolveBlock`.
 */
export async function atBlock<Result>(
  context: VeraxContext,
  block: unknown,
  work: (context: VeraxContext) => Result | Promise<Result>,
): Promise<Result | InContext> {
  const { hash, number, number_gte: least } = (block ?? {}) as BlockHeight
  const wanted = hash == null ? (number ?? null) : readHash(hash)
  if (wanted !== null) {
    if (typeof wanted === 'number' && (wanted < 0 || wanted > blockNumberMax)) {
      throw new BadParameterError(
        `block.number must be a whole number from 0 to ${blockNumberMax}; it was ${wanted}.`,
      )
    }
    const past = await context.at(wanted)
    return new InContext(await work(past), past)
  }
  if (least != null) await checkReached(context, least)
  return await work(context)
}

/** A question of which the argument `block` names the last block; null without one. */
export function aboutBlock(chainId: ChainId, { block }: ArgumentValues): Question | null {
  const { hash, number } = (block ?? {}) as BlockHeight
  const wanted = hash == null ? (number ?? null) : readHash(hash)
  return wanted === null ? null : { asOf: { kind: 'block', chainId, block: wanted }, chainIds: [chainId] }
}

function readHash(value: unknown): Hash {
  const hash = typeof value === 'string' ? parseHash(value) : null
  if (hash !== null) return hash
  throw new BadParameterError(
    `block.hash must be 0x and 64 hexadecimal digits; it was ${quoteInput(String(value))}.`,
  )
}
