import { type AbiParameter, encodeAbiParameters, type Hex, parseAbiParameters, stringToHex } from 'viem'
import type { DemoField, DemoSchema } from './content/demoSchema.ts'
import type { Random } from './random.ts'

/** The payload of the `number`-th attestation under a schema, in the form that the schema asks for. */
export function encodePayload(schema: DemoSchema, random: Random, number: number): Hex {
  const values = schema.values(random, number)
  switch (schema.payload ?? 'flat') {
    case 'flat':
      return encodeAbiParameters(schema.fields.map(abiParameter), values)
    case 'tuple':
      return encodeAbiParameters([tupleOf(schema.fields)], [recordOf(schema.fields, values)])
    case 'parameters':
      return encodeAbiParameters(parseAbiParameters(schema.text ?? ''), values)
    case 'contentId':
      return encodeAbiParameters([{ type: 'string' }], [String(values[0])])
    case 'text':
      return stringToHex(String(values[0]))
    case 'bytes':
      return random.bytes(random.integer(1, 90))
    case 'empty':
      return '0x'
  }
}

/** `number` is no Solidity type; the early tools that wrote it into schemas encoded it as `uint256`. */
function abiParameter(field: DemoField): AbiParameter {
  if (typeof field.type === 'string') {
    return { name: field.name, type: field.type === 'number' ? 'uint256' : field.type }
  }
  return { name: field.name, ...tupleOf(field.type) }
}

function tupleOf(fields: readonly DemoField[]): AbiParameter {
  return { type: 'tuple', components: fields.map(abiParameter) }
}

function recordOf(fields: readonly DemoField[], values: readonly unknown[]): unknown {
  return Object.fromEntries(fields.map((field, index) => [field.name, values[index]]))
}
