/**
 * Decoded payloads with the types that a schema gives them. The schema stands as a literal text, as EAS writes it:
 * `readDecoded(attestation, 'uint8 level, string country, (address who, uint64 since)[] guarantors')`.
 */

/** The values of a schema by the names of its fields; an unnamed field is reached by its place (`'0'`). */
export type DecodedValues<SchemaText extends string> = FieldsOf<SplitFields<SchemaText>>

type FieldsOf<Fields extends readonly string[]> = string[] extends Fields
  ? Readonly<Record<string, unknown>>
  : {
      readonly [
        Index in Extract<keyof Fields, `${number}`> as NameOf<Trim<Fields[Index] & string>, Index>
      ]: ValueOf<TypeOf<Trim<Fields[Index] & string>>>
    }

/** The parts of a text between the commas outside of parentheses. */
type SplitFields<
  Text extends string,
  Depth extends readonly 0[] = [],
  Part extends string = '',
  Done extends readonly string[] = [],
> = string extends Text
  ? string[]
  : Text extends `${infer Letter}${infer Rest}`
    ? Letter extends ','
      ? Depth extends []
        ? SplitFields<Rest, [], '', [...Done, Part]>
        : SplitFields<Rest, Depth, `${Part},`, Done>
      : Letter extends '('
        ? SplitFields<Rest, [...Depth, 0], `${Part}(`, Done>
        : Letter extends ')'
          ? SplitFields<
              Rest,
              Depth extends [0, ...infer Outer extends readonly 0[]] ? Outer : [],
              `${Part})`,
              Done
            >
          : SplitFields<Rest, Depth, `${Part}${Letter}`, Done>
    : Trim<Part> extends ''
      ? Done
      : [...Done, Part]

type Trim<Text extends string> = Text extends ` ${infer Rest}` | `${infer Rest} ` ? Trim<Rest> : Text

/** The text after the last closing parenthesis. */
type Tail<Text extends string> = Text extends `${string})${infer Rest}` ? Tail<Rest> : Text

type NameOf<Field extends string, Place extends string> =
  Trim<Tail<Field>> extends `${string} ${infer Name}`
    ? Trim<Name>
    : Field extends `(${string}`
      ? Trim<Tail<Field>> extends '' | `[${string}`
        ? Place
        : Trim<Tail<Field>>
      : Place

type TypeOf<Field extends string> = Field extends `(${string}`
  ? Field extends `${infer Tuple}${Tail<Field>}`
    ? Trim<Tail<Field>> extends `[${infer Sizes}]${string}`
      ? `${Tuple}[${Sizes}]`
      : Tuple
    : never
  : Field extends `${infer Type} ${string}`
    ? Type
    : Field

type ValueOf<Type extends string> = Type extends `(${string}`
  ? Tail<Type> extends `[${string}`
    ? Type extends `(${infer Inner})${Tail<Type>}`
      ? readonly FieldsOf<SplitFields<Inner>>[]
      : never
    : Type extends `(${infer Inner})`
      ? FieldsOf<SplitFields<Inner>>
      : never
  : Type extends `${infer Item}[${string}][${string}]`
    ? readonly (readonly ValueOf<Item>[])[]
    : Type extends `${infer Item}[${string}]`
      ? readonly ValueOf<Item>[]
      : Type extends `uint${string}` | `int${string}`
        ? bigint
        : Type extends 'bool'
          ? boolean
          : Type extends 'address' | `bytes${string}`
            ? `0x${string}`
            : Type extends 'string'
              ? string
              : unknown

/** A value in an answer to `include=decoded`. */
export interface DecodedField {
  readonly name: string
  readonly type: string
  readonly value: unknown
}

/** The part of an attestation with its values: an answer to `include=decoded`. */
export interface DecodedAttestation {
  readonly decodedData?: readonly DecodedField[] | null | undefined
  readonly decodedDataError?: string | null | undefined
}

/**
 * The values of an attestation that was read with `include: 'decoded'`, by name: integers as `bigint`, tuples as
 * objects.
 * @throws TypeError if the payload was not decoded, or its fields differ from those of `schemaText`.
 */
export function readDecoded<const SchemaText extends string>(
  attestation: DecodedAttestation,
  schemaText: SchemaText,
): DecodedValues<SchemaText> {
  const { decodedData, decodedDataError } = attestation
  if (decodedData === undefined) throw new TypeError("The attestation was read without include: 'decoded'.")
  if (decodedData === null)
    throw new TypeError(`The payload cannot be decoded: ${decodedDataError ?? 'no reason is known'}.`)
  return readFields(parseFields(schemaText), decodedData) as DecodedValues<SchemaText>
}

/** A field of a schema: `type` without spaces, with the names of a tuple's components taken out. */
interface Field {
  readonly name: string
  readonly type: string
  /** The components of a tuple, or of the elements of an array of tuples. */
  readonly components: readonly Field[] | null
}

function readFields(fields: readonly Field[], values: readonly DecodedField[]): Record<string, unknown> {
  const expected = fields.map(({ name, type }) => `${type} ${name}`.trim()).join(', ')
  const found = values.map(({ name, type }) => `${plainType(type)} ${name}`.trim()).join(', ')
  if (expected !== found)
    throw new TypeError(`The payload holds "${found}", and "${expected}" was asked for.`)
  const read: Record<string, unknown> = {}
  for (const [index, field] of fields.entries()) {
    const name = field.name === '' ? String(index) : field.name
    Object.defineProperty(read, name, { value: readValue(field, values[index]?.value), enumerable: true })
  }
  return read
}

function readValue(field: Field, value: unknown, depth = field.type.split('[').length - 1): unknown {
  if (depth > 0) return (value as readonly unknown[]).map((item) => readValue(field, item, depth - 1))
  if (field.components !== null) return readFields(field.components, value as readonly DecodedField[])
  return /^u?int/.test(field.type) ? BigInt(value as string) : value
}

function parseFields(text: string): Field[] {
  return splitFields(text).map((part) => {
    const close = part.lastIndexOf(')')
    const space = part.indexOf(' ', close + 1)
    const type = (space < 0 ? part : part.slice(0, space)).trim()
    const name = space < 0 ? '' : part.slice(space).trim()
    const components = close < 0 ? null : parseFields(part.slice(1, close))
    return { name, type: plainType(type), components }
  })
}

function splitFields(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const letter of text) {
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (letter === ',' && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else part += letter
  }
  return part.trim() === '' ? parts : [...parts, part.trim()]
}

/**
 * The normal form of a type for comparisons: a tuple by the types of its components, `uint` and `int` with their width.
 */
function plainType(type: string): string {
  const close = type.lastIndexOf(')')
  if (close < 0) return type.replace(/^(u?int)(?=$|\[)/, '$1256')
  const components = parseFields(type.slice(type.indexOf('(') + 1, close)).map((field) => field.type)
  return `(${components.join(',')})${type.slice(close + 1)}`
}
