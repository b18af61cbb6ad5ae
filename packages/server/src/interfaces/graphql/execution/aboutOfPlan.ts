import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { aboutChains, type Question } from '../../../pipeline/asOf/openView.ts'
import type { ArgumentValues, FieldPlan, OperationPlan, Variables } from './plan.ts'

/** About no chain: the schema itself, or how fresh the chains are. */
export const aboutNoChain = aboutChains([])

/**
 * The question of a query: the chains that its outermost fields name. Different moments of several fields count as the
 * present. `@skip` and `@include` are ignored.
 * @param aboutOf what the arguments of a field ask about that does not say so itself.
 */
export function aboutOfPlan(
  { root }: OperationPlan,
  variables: Variables,
  aboutOf: (values: ArgumentValues) => Question,
): Question {
  const questions = root.fields.map((field) => aboutOfField(field, variables, aboutOf))
  const [first = aboutNoChain] = questions
  const isOfOneMoment = questions.every(({ asOf }) => JSON.stringify(asOf) === JSON.stringify(first.asOf))
  const chainIds = new Set<ChainId>()
  const whole = {
    asOf: isOfOneMoment ? first.asOf : null,
    records: questions.flatMap(({ records = [] }) => records),
  }
  for (const question of questions) {
    if (question.chainIds === null) return { ...whole, chainIds: null }
    for (const chainId of question.chainIds) chainIds.add(chainId)
  }
  return { ...whole, chainIds: [...chainIds] }
}

function aboutOfField(
  { definition, about, readArguments }: FieldPlan,
  variables: Variables,
  aboutOf: (values: ArgumentValues) => Question,
): Question {
  if (definition.name.startsWith('__')) return aboutNoChain
  try {
    return (about ?? aboutOf)(readArguments(variables))
  } catch {
    // The field is refused for its arguments.
    return aboutNoChain
  }
}
