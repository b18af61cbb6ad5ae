import {
  Type,
  type TArray,
  type TArrayOptions,
  type TBoolean,
  type TInteger,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TString,
  type TStringOptions,
} from 'typebox'

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

/** An optional key that takes true or false. */
export function flag(value: boolean, description: string, example = !value): TOptional<TBoolean> {
  return Type.Optional(Type.Boolean({ default: value, description, examples: [example] }))
}

/** An optional key that takes a text. */
export function text(options: TStringOptions): TOptional<TString> {
  return Type.Optional(Type.String(options))
}

/** An optional key that takes a list. */
export function list<Item extends TSchema>(items: Item, options: TArrayOptions): TOptional<TArray<Item>> {
  return Type.Optional(Type.Array(items, options))
}

/** A block of these keys and no others. */
export function block<Keys extends TProperties>(description: string | null, keys: Keys): TObject<Keys> {
  const described = description === null ? {} : { description }
  return Type.Object(keys, { additionalProperties: false, ...described })
}
