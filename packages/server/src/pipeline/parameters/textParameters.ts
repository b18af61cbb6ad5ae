import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { quoteInput } from '../quoteInput.ts'
import { optionalParameter, type Parameter } from './parameter.ts'

export interface PatternParameterOptions {
  readonly name: string
  readonly description: string
  /** Of the whole value. */
  readonly pattern: RegExp
  /** The valid form, as the continuation of `must be …`. */
  readonly shape: string
  readonly example: string
}

/** An optional text of a certain shape; null when it is absent or empty. */
export function patternParameter(options: PatternParameterOptions): Parameter<string | null> {
  const { name, description, pattern, shape, example } = options
  return optionalParameter(
    name,
    Type.String({ pattern: pattern.source, description, examples: [example] }),
    (text) => {
      if (!pattern.test(text)) {
        throw new BadParameterError(
          `${name} must be ${shape} such as ${example}; it was ${quoteInput(text)}.`,
        )
      }
      return text
    },
  )
}

/** An optional text, verbatim; null if it is absent or empty. */
export function textParameter(name: string, description: string): Parameter<string | null> {
  return optionalParameter(name, Type.String({ description }), (text) => text)
}
