import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { columnsOfSchema, type ParquetRow } from '../export/parquet/parquetColumns.ts'
import { createParquetFile } from '../export/parquet/parquetPieces.ts'
import type { PayloadValue } from '@attestry/core/model/decodedPayload.ts'
import { icebergColumns } from './icebergColumns.ts'

const most = 2n ** 64n - 1n

/** A field of each kind: its type in Solidity and in Iceberg, its value, and what is read from the file. */
const kinds: readonly (readonly [type: string, iceberg: unknown, value: PayloadValue, read: unknown])[] = [
  ['uint8', 'int', '255', 255],
  ['int64', 'long', '-5', -5n],
  ['uint64', 'decimal(20, 0)', '12', 12],
  ['uint256', 'string', String(2n ** 200n), String(2n ** 200n)],
  ['bool', 'boolean', true, true],
  ['string', 'string', 'é"', 'é"'],
  ['bytes4', 'string', '0x01020304', '0x01020304'],
  ['uint16[]', list('int'), ['1', '65535'], [1, 65_535]],
  ['uint64[]', list('decimal(20, 0)'), ['3'], [3]],
  ['string[]', list('string'), [], []],
  ['(string city)', 'string', [{ name: 'city', type: 'string', value: 'Kyiv' }], '{"city":"Kyiv"}'],
  ['uint8[][]', 'string', [['1'], []], '[["1"],[]]'],
]

function list(element: string) {
  return { type: 'list', element, 'element-id': expect.any(Number), 'element-required': false }
}

const schema = kinds.map(([type], index) => ({ name: `field${index}`, type }))

function rowOf(values: readonly PayloadValue[]): ParquetRow {
  const decoded = schema.map((field, index) => ({ ...field, value: values[index] ?? '' }))
  return {
    change: 'new',
    record: { attestTimestamp: '1700000000' },
    payload: { kind: 'decoded', values: decoded },
  }
}

test('each column has the type of Iceberg that holds its values, and a number that its parts have in the file', async () => {
  const { fields, lastId, parquet } = icebergColumns(columnsOfSchema(schema))
  const typed = fields.slice(-kinds.length)
  expect(typed.map(({ type }) => type)).toEqual(kinds.map(([, iceberg]) => iceberg))
  const elements = parquet.flatMap((column) => column.elements)
  const ids = elements.flatMap(({ field_id: id }) => id ?? [])
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: lastId }, (_, index) => index + 1))

  const group = { rowsMax: 10, lengthMax: 1_000_000 }
  const file = createParquetFile({ columns: parquet, metadata: {}, author: 'test', group })
  file.add(rowOf(kinds.map(([, , value]) => value)), 1)
  file.add(rowOf(kinds.map(([type, , value]) => (type === 'uint64' ? String(most) : value))), 1)
  const { buffer } = new Uint8Array(Buffer.concat(file.end()))
  const [one, other]: Record<string, unknown>[] = await parquetReadObjects({ file: buffer })
  expect(kinds.map((_, index) => one?.[`field${index}`])).toEqual(kinds.map(([, , , read]) => read))
  expect(one?.['attested_at']).toEqual(new Date(1_700_000_000_000))
  // The reader has decimals as numbers in floating point.
  expect(other?.['field2']).toBe(Number(most))
  const stored = parquetMetadata(buffer).schema.find(({ name }) => name === 'field2')
  expect(stored).toMatchObject({ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 9, precision: 20 })
})
