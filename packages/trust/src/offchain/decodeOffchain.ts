import { parseFields } from '@attestry/core/model/recordJson.ts'
import type { DecodedPayload, NamedPayloadValue } from '@attestry/core/model/decodedPayload.ts'
import { parseHex } from '@attestry/core/model/hex.ts'
import type { OffchainRecord } from '@attestry/core/model/offchainRecord.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'

/**
 * The payload of a statement by the fields of its schema, or the members of Sign Protocol's JSON.
 * @param payload ABI-encoded values as `0x…` (EAS), or a JSON text (Sign Protocol).
 * @param schema null if it is not known here.
 */
export function decodeOffchain(
  { decodePayload }: Pick<ApiContext, 'decodePayload'>,
  protocol: OffchainRecord['protocol'],
  payload: string,
  schema: StoredSchema | null,
): DecodedPayload {
  if (protocol === 'sign') {
    const values = readJsonPayload(payload)
    return values === null
      ? { kind: 'undecodable', reason: 'the payload is no JSON object' }
      : { kind: 'decoded', values }
  }
  const data = parseHex(payload)
  if (schema === null || data === null) return { kind: 'undecodable', reason: 'its schema is not known here' }
  const fields = parseFields(schema.payloadFieldsJson)
  return decodePayload({ protocol, fields, data, dataLocation: 'ONCHAIN' })
}

/**
 * The members of a JSON object as values; `type` is JSON's (`number`, `object`, …). A value that is no text, truth
 * value or number stands as its JSON text. Null if the text is no JSON object.
 */
function readJsonPayload(text: string): readonly NamedPayloadValue[] | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    return Object.entries(parsed).map(([name, value]: [string, unknown]) => {
      if (typeof value === 'string' || typeof value === 'boolean') return { name, type: typeof value, value }
      const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
      return { name, type, value: JSON.stringify(value) }
    })
  } catch {
    // No JSON, or JSON that nests deeper than it can be written.
    return null
  }
}
