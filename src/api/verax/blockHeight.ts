import { BadParameterError } from '../../errors/apiErrors.ts'
import type { VeraxContext } from './veraxContext.ts'

/** The argument `block` of a root; GraphQL has checked the types. */
interface BlockHeight {
  readonly hash?: unknown
  readonly number?: number | null
  readonly number_gte?: number | null
}

/**
 * Does the work of a root at the state that its argument `block` asks for. The index has the newest state alone: another
 * one is refused, also where a block comes during the work.
 * @throws BadParameterError
 */
export async function atBlock<Result>(
  context: VeraxContext,
  block: unknown,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  if (block == null) return await work()
  const asked = block as BlockHeight
  await checkBlock(context, asked)
  const result = await work()
  await checkBlock(context, asked)
  return result
}

async function checkBlock({ reader, chain }: VeraxContext, asked: BlockHeight): Promise<void> {
  if (asked.hash != null) {
    throw new BadParameterError('block.hash is not supported; ask by block.number_gte, or leave block out.')
  }
  const least = asked.number ?? asked.number_gte ?? null
  if (least === null) return
  const overview = (await reader.listChains()).find(({ status }) => status.chainId === chain.chainId)
  const indexed = overview?.status.indexedBlock ?? -1
  if (indexed < least) {
    throw new BadParameterError(`block ${least} is not indexed yet; the newest indexed block is ${indexed}.`)
  }
  if (asked.number != null && indexed > asked.number) {
    throw new BadParameterError(
      `block.number is ${asked.number}, and the index has the state at block ${indexed} alone; ` +
        'ask by block.number_gte, or leave block out.',
    )
  }
}
