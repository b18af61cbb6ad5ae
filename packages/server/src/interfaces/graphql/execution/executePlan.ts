import type { GraphQLFormattedError } from 'graphql'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues, FieldPlan, Guard, ObjectPlan, OperationPlan, TypePlan } from './plan.ts'

export interface ExecutionOptions {
  /** Coerced. */
  readonly variables: Readonly<Record<string, unknown>>
  /** The state that the resolvers share, of the type that they expect. */
  readonly context: unknown
  /** The source of the root fields: the change of a subscription. */
  readonly root?: unknown
  /** Called now and then within long lists: waits where others have to go on first, or throws. */
  readonly pause: () => void | Promise<void>
  /**
   * Most characters of the answer, which is in memory three times while it is sent: a hundred aliases of one long field
   * ask for as many copies.
   */
  readonly charactersMax: number
  /** Presents an error that a field threw to the client. */
  readonly presentError: (error: unknown) => Pick<GraphQLFormattedError, 'message' | 'extensions'>
}

export interface ExecutedPlan {
  /** JSON text of `data`. */
  readonly data: string
  readonly errors: readonly GraphQLFormattedError[]
}

/** The whole answer as JSON text. */
export function formatExecuted({ data, errors }: ExecutedPlan): string {
  return errors.length === 0 ? `{"data":${data}}` : `{"errors":${JSON.stringify(errors)},"data":${data}}`
}

/**
 * Executes a plan by section 6 of the GraphQL specification (October 2021), for queries, and writes JSON text directly,
 * without a tree of values. Invariants:
 * 1. A field that fails is null with an error. If the field is non-null, the nearest nullable field or item around it
 *    is null.
 * 2. Fields of one object are executed in order, and fields with present values need no turn of the event loop.
 */
export async function executePlan(plan: OperationPlan, options: ExecutionOptions): Promise<ExecutedPlan> {
  const execution: Execution = {
    ...options,
    arguments: new Array<ArgumentValues | undefined>(plan.fieldCount),
    errors: [],
    written: { characters: 0 },
  }
  try {
    const data = await writeObject(execution, plan.root, options.root, null)
    return { data, errors: execution.errors }
  } catch (error) {
    addError(execution, error)
    return { data: 'null', errors: execution.errors }
  }
}

interface Execution extends ExecutionOptions {
  readonly arguments: (ArgumentValues | undefined)[]
  readonly errors: GraphQLFormattedError[]
  /** The length of the answer so far; one object for all contexts of the request. */
  readonly written: { characters: number; refusal?: BadParameterError }
}

/** Items of a long list that are written together, so that what they read is read at once. */
const itemsAtOnce = 200
/** Items of a long list between two looks at the clock: an item may have two thousand fields. */
const itemsUnpaused = 10

/** With more errors the answer has no data: the errors alone would be larger than any answer. */
const errorsMax = 100

/** The place of a value in the answer; the root is null. */
interface Path {
  readonly parent: Path | null
  readonly key: string | number
}

type ListKind = Extract<TypePlan['kind'], { readonly name: 'list' }>

type Written = string | Promise<string>

/** A value whose fields, and all below them, are resolved with a context of their own. */
export class InContext {
  readonly value: unknown
  readonly context: unknown

  constructor(value: unknown, context: unknown) {
    this.value = value
    this.context = context
  }
}

/** An error that propagates to the nearest nullable place. It has been recorded at its origin. */
class FieldFailure {
  readonly cause: unknown
  readonly field: FieldPlan
  readonly path: Path

  constructor(cause: unknown, field: FieldPlan, path: Path) {
    this.cause = cause
    this.field = field
    this.path = path
  }
}

function writeObject(execution: Execution, plan: ObjectPlan, source: unknown, path: Path | null): Written {
  let text = '{'
  let isFirst = true
  let parts: Written[] | null = null
  try {
    for (const field of plan.fields) {
      if (field.guards !== null && !isIncluded(field.guards, execution.variables)) continue
      const written = writeField(execution, field, source, path)
      text += isFirst ? field.keyText : field.nextKeyText
      isFirst = false
      if (typeof written === 'string') {
        text += written
      } else {
        parts ??= []
        parts.push(text, written)
        text = ''
      }
    }
  } catch (error) {
    if (parts !== null) abandon(parts)
    throw error
  }
  text += '}'
  if (parts === null) return text
  parts.push(text)
  return joinParts(parts)
}

function writeField(execution: Execution, field: FieldPlan, source: unknown, parent: Path | null): Written {
  const { definition, writeJson, type } = field
  const { context, written: answer } = execution
  try {
    if (answer.refusal !== undefined) throw answer.refusal
    // The source has the field's own type; plans keep both together.
    if (writeJson !== null) return counted(execution, writeJson(source as never, context as never))
    const { resolve } = definition
    const value =
      resolve === undefined
        ? readProperty(source, definition.name)
        : resolve(source, argumentsIn(execution, field), context, field.info as never)
    return writeAwaited(execution, field, type, value, { parent, key: field.responseKey })
  } catch (error) {
    return nullOrFail(execution, field, type, error, { parent, key: field.responseKey })
  }
}

function writeValue(
  execution: Execution,
  field: FieldPlan,
  plan: TypePlan,
  value: unknown,
  path: Path,
): Written {
  if (value instanceof InContext) {
    return writeValue({ ...execution, context: value.context }, field, plan, value.value, path)
  }
  const { refusal } = execution.written
  // Values that were awaited meanwhile are not written any more.
  if (refusal !== undefined) throw refusal
  const { nonNull, kind, type } = plan
  if (value === null || value === undefined) {
    if (nonNull) throw new TypeError(`a field of type ${String(type)} has no value: ${field.definition.name}`)
    return 'null'
  }
  if (value instanceof Error) throw value
  switch (kind.name) {
    case 'leaf':
      return counted(execution, kind.serialize(value))
    case 'object':
      return writeObject(execution, kind.plan, value, path)
    case 'list':
      return writeList(execution, field, kind, value, path)
  }
}

/** @throws BadParameterError if the answer becomes too long. */
function counted({ written, charactersMax }: Execution, text: string): string {
  written.characters += text.length
  if (written.characters <= charactersMax) return text
  // It ends the whole answer: the fields that are left may be a hundred thousand.
  written.refusal ??= new BadParameterError(
    `The answer would have more than ${charactersMax.toLocaleString('en')} characters (limit answer); ask for smaller ` +
      'pages, or for each long field once.',
  )
  throw written.refusal
}

function writeList(
  execution: Execution,
  field: FieldPlan,
  { item: itemType, unpausedMax }: ListKind,
  value: unknown,
  listPath: Path,
): Written {
  if (!Array.isArray(value)) throw new TypeError(`${field.definition.name} is no list`)
  const items: readonly unknown[] = value
  if (items.length > unpausedMax) return writeLongList(execution, field, itemType, items, listPath)
  let text = '['
  let parts: Written[] | null = null
  try {
    for (const [index, item] of items.entries()) {
      const written = writeAwaited(execution, field, itemType, item, { parent: listPath, key: index })
      if (index > 0) text += ','
      if (typeof written === 'string') {
        text += written
      } else {
        parts ??= []
        parts.push(text, written)
        text = ''
      }
    }
  } catch (error) {
    if (parts !== null) abandon(parts)
    throw error
  }
  text += ']'
  if (parts === null) return text
  parts.push(text)
  return joinParts(parts)
}

/** The same for a list whose items together may take longer than others should wait. */
async function writeLongList(
  execution: Execution,
  field: FieldPlan,
  itemType: TypePlan,
  items: readonly unknown[],
  listPath: Path,
): Promise<string> {
  let text = '['
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    const parts: Written[] = []
    try {
      for (const [index, item] of items.slice(start, start + itemsAtOnce).entries()) {
        const paused = index % itemsUnpaused === 0 ? execution.pause() : undefined
        if (paused !== undefined) {
          // Reads under way may fail during the pause, before anything awaits them.
          abandon(parts)
          await paused
        }
        parts.push(writeAwaited(execution, field, itemType, item, { parent: listPath, key: start + index }))
      }
    } catch (error) {
      abandon(parts)
      throw error
    }
    for (const [index, part] of (await Promise.all(parts.map(toPromise))).entries()) {
      text += start + index > 0 ? `,${part}` : part
    }
  }
  return `${text}]`
}

/** Writes a value, or what its promise brings; null in its place where it fails. */
function writeAwaited(
  execution: Execution,
  field: FieldPlan,
  itemType: TypePlan,
  item: unknown,
  path: Path,
): Written {
  try {
    if (isPromise(item)) {
      return item
        .then((settled) => writeValue(execution, field, itemType, settled, path))
        .catch((error: unknown) => nullOrFail(execution, field, itemType, error, path))
    }
    const written = writeValue(execution, field, itemType, item, path)
    if (typeof written === 'string') return written
    return written.catch((error: unknown) => nullOrFail(execution, field, itemType, error, path))
  } catch (error) {
    return nullOrFail(execution, field, itemType, error, path)
  }
}

/** A failed value becomes null if its type allows null and few have failed, and else fails the value around it. */
function nullOrFail(
  execution: Execution,
  field: FieldPlan,
  { nonNull }: TypePlan,
  error: unknown,
  path: Path,
): string {
  const failure = error instanceof FieldFailure ? error : new FieldFailure(error, field, path)
  const { errors, written } = execution
  const isOver = errors.length >= errorsMax || written.refusal !== undefined
  // oxlint-disable-next-line typescript/only-throw-error -- The value never leaves this file.
  if (nonNull || isOver) throw failure
  addError(execution, failure)
  return 'null'
}

function addError(execution: Execution, failure: unknown): void {
  if (!(failure instanceof FieldFailure)) {
    execution.errors.push(execution.presentError(failure))
    return
  }
  const { cause, field, path } = failure
  const start = field.node.loc?.startToken
  execution.errors.push({
    ...execution.presentError(cause),
    ...(start === undefined ? {} : { locations: [{ line: start.line, column: start.column }] }),
    path: pathToArray(path),
  })
}

/** No code awaits these promises any more; their rejection must not end the process. */
function abandon(parts: readonly Written[]): void {
  for (const part of parts) if (typeof part !== 'string') part.catch(() => undefined)
}

/** Texts are concatenated, not joined: the engine lays a concatenation out in memory once, when it is sent. */
async function joinParts(parts: readonly Written[]): Promise<string> {
  let text = ''
  for (const part of await Promise.all(parts.map(toPromise))) text += part
  return text
}

function toPromise(part: Written): Promise<string> {
  return typeof part === 'string' ? Promise.resolve(part) : part
}

function isIncluded(guards: readonly Guard[], variables: Readonly<Record<string, unknown>>): boolean {
  return guards.some((guard) => guard.every(({ variable, value }) => variables[variable] === value))
}

function argumentsIn(execution: Execution, field: FieldPlan): ArgumentValues {
  return (execution.arguments[field.slot] ??= field.readArguments(execution.variables))
}

function readProperty(source: unknown, name: string): unknown {
  // Sources of fields without a resolver are objects of our own.
  return (source as Readonly<Record<string, unknown>>)[name]
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise
}

function pathToArray(path: Path): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at: Path | null = path; at !== null; at = at.parent) keys.push(at.key)
  return keys.reverse()
}
