import { Type, type TInteger, type TOptional } from 'typebox'

/**
 * An optional key that takes a whole number.
 * @param value the default; null: none.
 */
export function wholeNumber(
  minimum: number,
  maximum: number,
  value: number | null,
  description: string,
  example = value,
): TOptional<TInteger> {
  const byDefault = value === null ? {} : { default: value }
  return Type.Optional(Type.Integer({ minimum, maximum, ...byDefault, description, examples: [example] }))
}
