import type { DecodedPayload } from '../model/decodedPayload.ts'
import { contentIdName } from '../model/fieldValues.ts'
import type { Hex } from '../model/hex.ts'
import type { DataLocation, SchemaField } from '../model/records.ts'
import type { PayloadForm } from './protocolAdapter.ts'
import { abiNestingMax, type AbiParameter, type AbiType, tupleType } from './abi/abiType.ts'
import { type DecodedAbiValues, decodeAbiValues } from './abi/decodeAbiValues.ts'
import { parseAbiParameters } from './abi/parseAbiParameters.ts'
import { parseEthersType } from './abi/parseEthersParameters.ts'

/** A larger payload is not decoded: its hex says as much, and an answer may hold a hundred of them. */
const payloadBytesMax = 256 * 1024

/**
 * The values of an attestation's payload, by the fields of its schema. Never throws, for any payload and fields.
 *
 * 1. If the payload is stored elsewhere, it is `abi.encode` of a content id: the one value `contentId`.
 * 2. If the payload is on chain, it is `abi.encode` of the fields, in one of the forms that clients of its protocol
 *    use.
 *
 * Only the canonical encoding counts, which every compiler and library writes. A lenient reader finds values in almost
 * any bytes (in a content id under a schema of `uint256`, for example), and people decide by the shown values.
 */
export function decodePayload(
  fields: readonly SchemaField[],
  data: Hex,
  dataLocation: DataLocation,
  form: PayloadForm,
): DecodedPayload {
  const size = (data.length - 2) / 2
  if (size > payloadBytesMax) {
    return undecodable(`the payload has ${size} bytes, and no more than ${payloadBytesMax} are decoded`)
  }
  if (dataLocation !== 'ONCHAIN') return toPayload(decodeAbiValues(contentIdParameters, data))
  if (fields.length === 0 && size > 0) return undecodable('the schema defines no fields')
  const parameters = parametersOf(fields)
  if (typeof parameters === 'string') return undecodable(parameters)
  // Without a dynamic field, the wrapped form is the flat one.
  if (form === 'wrappedOrFlat' && parameters.some(({ type }) => type.dynamic)) {
    const wrapped = decodeAbiValues(parameters, data, 'dynamicTuple')
    if (wrapped.kind === 'values') return toPayload(wrapped)
  }
  return toPayload(decodeAbiValues(parameters, data))
}

/**
 * The parsed fields of schemas whose list of fields is in use: a writer decodes many payloads by the same list.
 */
const knownParameters = new WeakMap<readonly SchemaField[], readonly AbiParameter[] | string>()

/** The parameters of payloads by these fields, or the reason why no payload can be decoded by them. */
export function parametersOf(fields: readonly SchemaField[]): readonly AbiParameter[] | string {
  let parameters = knownParameters.get(fields)
  if (parameters === undefined) {
    parameters = parseFields(fields)
    knownParameters.set(fields, parameters)
  }
  return parameters
}

function parseFields(fields: readonly SchemaField[]): readonly AbiParameter[] | string {
  const parameters: AbiParameter[] = []
  for (const [index, field] of fields.entries()) {
    const type = parseFieldType(field.type)
    if (type === null) return `the type of the schema's field ${index + 1} is none of Solidity`
    parameters.push({ name: field.name, typeText: field.type, type })
  }
  return parameters
}

const contentIdParameters = parseAbiParameters(`string ${contentIdName}`) ?? []

/**
 * The type of a schema's field: Solidity's spelling, or the JSON text of a list of fields, which is a tuple of them
 * (Sign Protocol's schemas may nest). Null for any other text, such as `number` in schemas for off-chain use.
 */
export function parseFieldType(text: string): AbiType | null {
  return text.startsWith('[') ? parseNestedType(parseJson(text), 0) : parseSolidityType(text)
}

function parseNestedType(type: unknown, depth: number): AbiType | null {
  if (typeof type === 'string') return parseSolidityType(type)
  if (!Array.isArray(type) || depth >= abiNestingMax) return null
  const components: AbiParameter[] = []
  for (const item of type as readonly unknown[]) {
    if (!isField(item)) return null
    const componentType = parseNestedType(item.type, depth + 1)
    if (componentType === null) return null
    const typeText = typeof item.type === 'string' ? item.type : 'tuple'
    components.push({ name: item.name, typeText, type: componentType })
  }
  return components.length === 0 ? null : tupleType(components)
}

/** As the schema was parsed: ethers reads types of EAS, and members of tuples may have names as EAS's SDK takes them. */
function parseSolidityType(text: string): AbiType | null {
  const type = parseEthersType(text)
  if (type !== null) return type
  const parameters = parseAbiParameters(text)
  const parameter = parameters?.[0]
  return parameters?.length === 1 && parameter?.name === '' ? parameter.type : null
}

function isField(item: unknown): item is { readonly name: string; readonly type: unknown } {
  return (
    typeof item === 'object' &&
    item !== null &&
    'name' in item &&
    typeof item.name === 'string' &&
    'type' in item
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toPayload(decoded: DecodedAbiValues): DecodedPayload {
  return decoded.kind === 'values'
    ? { kind: 'decoded', values: decoded.values }
    : undecodable(`the payload is no encoding of its fields: ${decoded.reason}`)
}

function undecodable(reason: string): DecodedPayload {
  return { kind: 'undecodable', reason }
}
