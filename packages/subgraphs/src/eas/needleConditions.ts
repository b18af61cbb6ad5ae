import { parseFields } from '@attestry/core/model/recordJson.ts'
import type { FieldCondition as PayloadCondition } from '@attestry/core/model/fieldCondition.ts'
import { fieldPathLengthMax, fieldPathText } from '@attestry/core/model/fieldValues.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import type { FieldCondition, FieldTest } from '../engine/condition.ts'

/** With fewer attestations, the payloads of a schema are all held against the pattern. */
const attestationsMin = 1_000

/** Name, type and the whole value of a field, as `decodedDataJson` has them. */
const pairPattern =
  /"name":"([^"\\]+)","type":"([^"\\]+)","value":(?:"([^"\\]*)"|(true|false)|(-?[0-9]+)(?=[^0-9])|\{"type":"BigNumber","hex":"(-?0x[0-9a-f]+)"\}|"(0x[0-9a-f]+)$)/i

/** Digits of the whole value of a type, where its closing quotation mark is left out of a needle. */
const wholeDigits: Readonly<Record<string, number>> = { address: 40, bytes32: 64 }

/**
 * Conditions on the decoded fields of one schema that follow from patterns on `decodedDataJson`. If a pattern holds a
 * field's name, type and whole value, only attestations with this value can match, and those with the protocol's
 * `lenientField`. Each is still held against the pattern.
 */
export function listNeedleConditions(
  tests: readonly FieldCondition[],
  schema: StoredSchema | null,
  { areIndexable }: Pick<typeof easInterface, 'areIndexable'>,
): readonly PayloadCondition[] {
  // The SDK replaces `ipfsHash` in the text of a schema, also within names.
  if (schema === null || schema.attestationCount < attestationsMin || schema.rawText.includes('ipfsHash'))
    return []
  // The store wrote it as an array of `{name, type}`.
  const fields = parseFields(schema.fieldsJson)
  // A member of a tuple is printed as a field is.
  if (fields.some(({ type }) => type.includes('(')) || !areIndexable(fields)) return []
  return tests.flatMap(({ field, test }): PayloadCondition[] => {
    const needle = field === 'decodedDataJson' ? needleOf(test) : null
    const pair = needle === null ? null : pairPattern.exec(needle)
    if (pair === null) return []
    const [, name = '', type = '', text, flag, digits, hex, open] = pair
    if (fields.filter((each) => each.name === name).length !== 1) return []
    if (fieldPathText([name]).length > fieldPathLengthMax) return []
    if (open !== undefined && open.length - 2 !== wholeDigits[type]) return []
    const value = text ?? flag ?? digits ?? open ?? integerOf(hex ?? '')
    return [{ path: [name], operator: 'equals', values: [value] }]
  })
}

/** A text that all values which pass a test contain; null if there is no such text, or case does not count. */
function needleOf(test: FieldTest): string | null {
  if ('folds' in test && test.folds) return null
  if (test.kind === 'in') return test.values.size === 1 ? String([...test.values][0]) : null
  // A wildcard within a pair would match other names and values too.
  return test.kind === 'like' && !/[%_\\]/.test(test.needle) ? test.needle : null
}

/** Decimal digits of ethers' hexadecimal form. */
function integerOf(hex: string): string {
  return hex.startsWith('-') ? `-${BigInt(hex.slice(1))}` : String(BigInt(hex))
}
