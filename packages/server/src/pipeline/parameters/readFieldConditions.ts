import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import { parseFieldPath } from '@attestry/core/model/fieldValues.ts'
import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { describeInput } from '../describeInput.ts'
import { namedOperators } from './fieldParameter.ts'

/** The place of a value within a document. */
export type Path = readonly (string | number)[]

/** Notes a mistake, as a clause such as `must be …`, or throws; null stands for the part that could not be read. */
export type NoteMistake = (path: Path, text: string) => null

/**
 * Reads conditions on decoded fields as policies and configurations have them: `{ country: FR, level: { gte: 2 } }`.
 * @returns the conditions without a mistake; `wrong` is called for the others.
 */
export function readFieldConditions(
  value: unknown,
  path: Path,
  wrong: NoteMistake,
): readonly FieldCondition[] {
  if (value === undefined) return []
  if (!isJsonObject(value)) {
    wrong(path, `must be an object of the names of fields and their values, but is ${describeInput(value)}`)
    return []
  }
  return Object.entries(value).flatMap(([name, wanted]) => readField(name, wanted, [...path, name], wrong))
}

function readField(name: string, wanted: unknown, at: Path, wrong: NoteMistake): readonly FieldCondition[] {
  const fieldPath = parseFieldPath(name)
  if (fieldPath === null) {
    wrong(at, 'must be the path of a field: names with dots between them')
    return []
  }
  if (!isJsonObject(wanted)) {
    const text = readOperand(wanted, at, wrong)
    return text === null ? [] : [{ path: fieldPath, operator: 'equals', values: [text] }]
  }
  const operands = Object.entries(wanted)
  // Everything passes an empty list of conditions.
  if (operands.length === 0)
    wrong(at, `must be a value or have one of ${namedOperators.join(', ')}, but is an empty object`)
  return operands.flatMap(([key, operand]): FieldCondition[] => {
    const operator = namedOperators.find((each) => each === key)
    if (operator === undefined) {
      wrong([...at, key], `is no operator; the operators are ${namedOperators.join(', ')}`)
      return []
    }
    const list: readonly unknown[] = operator === 'in' && Array.isArray(operand) ? operand : [operand]
    if (list.length === 0) wrong([...at, key], 'must have one or more values, but is an empty list')
    const values = list.map((each) => readOperand(each, [...at, key], wrong)).filter((each) => each !== null)
    return values.length === 0 ? [] : [{ path: fieldPath, operator, values }]
  })
}

function readOperand(value: unknown, path: Path, wrong: NoteMistake): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value)
  return wrong(path, `must be a text, a whole number or true or false, but is ${describeInput(value)}`)
}
