import type {
  DecodedPayload,
  DecodePayload,
  NamedPayloadValue,
  PayloadValue,
} from '@attestry/core/model/decodedPayload.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import { addresses } from './generatedChain.ts'

/** The texts of values: few, so that many payloads have the same. */
export const valueTexts: readonly string[] = [
  '',
  '1',
  'Name',
  'name tag',
  'nul\0',
  'lone \ud800',
  '\u{1F4A9}',
]

/**
 * Makes the values of generated payloads (generatedFields.ts), under any of the generated schemas. The store gets it as
 * its decoder and knows no encoding. A payload whose first byte is divisible by seven cannot be decoded.
 */
export const decodeTestPayload: DecodePayload = ({ fields, data, dataLocation }): DecodedPayload => {
  const [first = 0, second = 0] = Buffer.from(data.slice(2), 'hex')
  if (first % 7 === 0) return { kind: 'undecodable', reason: 'it is divisible by seven' }
  const text = (index: number) => valueTexts[index % valueTexts.length] ?? ''
  const integer = (index: number) => String((index % 5) - 2)
  const address = (addresses[second % addresses.length] ?? '').toUpperCase().replace('0X', '0x')
  const list = Array.from({ length: second % 4 }, (_, index) => second + (index % 2))
  const person = (index: number): readonly NamedPayloadValue[] => [
    { name: 'name', type: 'string', value: text(index) },
    { name: 'level', type: 'uint8', value: String(index % 3) },
  ]
  const values: Readonly<Record<string, PayloadValue>> = {
    string: text(second),
    int16: integer(second),
    'string[]': list.map(text),
    address,
    bool: second % 2 === 0,
    '(string name, uint8 level)[]': list.map(person),
  }
  if (dataLocation !== 'ONCHAIN') {
    return { kind: 'decoded', values: [{ name: 'contentId', type: 'string', value: text(second) }] }
  }
  const named = fields.map(({ name, type }) => ({ name, type, value: values[type] ?? '' }))
  return { kind: 'decoded', values: named }
}

/** Indexes the fields of every generated schema. */
export const testFieldIndexing: FieldIndexing = { decodePayload: decodeTestPayload, includes: () => true }

/** Indexes the fields of all generated schemas, of most of them, or of none. */
export function testFieldIndexingOf(setting: 'all' | 'some' | 'none', rowsPerStep?: number): FieldIndexing {
  return {
    decodePayload: decodeTestPayload,
    includes: ({ localId }) => setting === 'all' || (setting === 'some' && /[0-6]$/.test(localId)),
    ...(rowsPerStep === undefined ? {} : { rowsPerStep }),
  }
}
