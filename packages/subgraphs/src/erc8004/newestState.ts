import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '@attestry/server/graphql/execution/plan.ts'
import type { Resolve } from '@attestry/server/graphql/fields/fieldBehaviour.ts'
import { checkReached, type BlockHeight } from '../engine/graphNode/checkReached.ts'
import type { Erc8004Context } from './erc8004Context.ts'

/**
 * The roots of queries, which answer from the newest state alone: a `block` by its number or hash is refused, and
 * `number_gte` holds where the state has the block.
 */
export function ofNewestState(roots: Roots): Roots {
  return Object.fromEntries(
    Object.entries(roots).map(([name, resolve]): [string, Roots[string]] => [
      name,
      async (source, values, context, info) => {
        await checkBlock(values, context)
        return await resolve(source, values, context, info)
      },
    ]),
  )
}

type Roots = Readonly<Record<string, Resolve<unknown, Erc8004Context>>>

async function checkBlock(values: ArgumentValues, context: Erc8004Context): Promise<void> {
  const { hash, number, number_gte: least } = (values['block'] ?? {}) as BlockHeight
  if (hash != null || number != null) {
    throw new BadParameterError(
      'This interface answers from the newest block alone; leave block.number and block.hash out, or ask ' +
        '/scan/agents/{id}?asOf=<chainId>:<block> for an earlier state of an agent.',
    )
  }
  if (least != null) await checkReached(context, least)
}
