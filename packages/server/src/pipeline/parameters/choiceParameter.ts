import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { quoteInput } from '../quoteInput.ts'
import { optionalParameter, type Parameter } from './parameter.ts'

export interface ChoiceParameterOptions<Choice extends string> {
  readonly name: string
  readonly description: string
  readonly choices: readonly Choice[]
  /** The valid values, in the words of a refusal; the choices by default. */
  readonly told?: string
}

/** An optional parameter with a fixed set of values, written exactly so; null when it is absent or empty. */
export function choiceParameter<const Choice extends string>(
  options: ChoiceParameterOptions<Choice>,
): Parameter<Choice | null> {
  const { name, description, choices, told = formatChoices(choices) } = options
  return optionalParameter(name, Type.Enum([...choices], { description }), (text) => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice !== undefined) return choice
    throw new BadParameterError(`${name} must be ${told}; it was ${quoteInput(text)}.`)
  })
}

/** An optional parameter that is `true` or `false`; null when it is absent or empty. */
export function booleanParameter(name: string, description: string): Parameter<boolean | null> {
  const { read } = choiceParameter({ name, description, choices: ['true', 'false'] })
  return optionalParameter(name, Type.Boolean({ description }), (text) => read(text) === 'true')
}

function formatChoices(choices: readonly string[]): string {
  const last = choices.at(-1) ?? ''
  return choices.length < 2 ? `'${last}' or absent` : `${choices.slice(0, -1).join(', ')} or ${last}`
}
