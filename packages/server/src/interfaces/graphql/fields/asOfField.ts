import type { Question } from '../../../pipeline/asOf/openView.ts'
import { parseAsOf } from '../../../pipeline/asOf/parseAsOf.ts'
import type { ArgumentValues } from '../execution/plan.ts'
import { InContext } from '../execution/executePlan.ts'
import type { FieldParts, Resolve } from './fieldBehaviour.ts'

/**
 * A field of a query with the argument `asOf`: with it, the field and all below it are answered as of the moment.
 * @param chainsOf the chains that arguments ask about, if not all of them.
 */
export function asOfField(
  behaviour: Resolve<unknown> | (FieldParts<unknown> & { readonly resolve: Resolve<unknown> }),
  chainsOf: (values: ArgumentValues) => Omit<Question, 'asOf'> = () => ({ chainIds: null }),
): FieldParts<unknown> {
  const { resolve, ...parts } = typeof behaviour === 'function' ? { resolve: behaviour } : behaviour
  return {
    ...parts,
    about: (values) => {
      const { asOf } = values
      const moment = typeof asOf === 'string' && asOf !== '' ? parseAsOf(asOf) : null
      return { ...chainsOf(values), asOf: moment }
    },
    resolve: (root, values, context, info) => {
      const { asOf } = values
      if (typeof asOf !== 'string' || asOf === '') return resolve(root, values, context, info)
      return resolveAt(asOf)
      async function resolveAt(moment: string): Promise<InContext> {
        const past = await context.at({ ...chainsOf(values), asOf: parseAsOf(moment) })
        return new InContext(await resolve(root, values, past, info), past)
      }
    },
  }
}
