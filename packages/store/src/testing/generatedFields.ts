import type { Hex } from '@attestry/core/model/hex.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'

/** The payload of a generated attestation: two bytes, from which `decodeTestPayload` makes the values of any field. */
export function testPayload(first: number, second: number): Hex {
  return `0x${Buffer.from([first % 256, second % 256]).toString('hex')}` as Hex
}

/** The fields of a generated schema; `name` may be anything. */
export function testFields(name: string, choice: number): readonly SchemaField[] {
  const all: readonly SchemaField[] = [
    { name, type: 'string' },
    { name: 'level', type: 'int16' },
    { name: 'tags', type: 'string[]' },
    { name: 'who', type: 'address' },
    { name: 'ok', type: 'bool' },
    { name: 'person', type: '(string name, uint8 level)[]' },
    // A name that two fields have.
    { name: 'level', type: 'string' },
  ]
  return all.filter((_, index) => index < 2 || (choice >> (index % 5)) % 2 === 0)
}
