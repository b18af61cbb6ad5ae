/**
 * The readable type of a schema's field: `(string city, int32 latitude)` for the nested JSON that Sign Protocol's
 * schemas may have in place of a type; any other type unchanged.
 */
export function formatFieldType(type: string): string {
  if (!type.startsWith('[')) return type
  let parsed: unknown
  try {
    parsed = JSON.parse(type)
  } catch {
    return type
  }
  if (!Array.isArray(parsed) || !parsed.every(isField)) return type
  return `(${parsed.map((field) => `${formatFieldType(typeText(field.type))} ${field.name}`.trim()).join(', ')})`
}

interface NestedField {
  readonly name: string
  readonly type: unknown
}

function isField(value: unknown): value is NestedField {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'type' in value
  )
}

function typeText(type: unknown): string {
  return typeof type === 'string' ? type : JSON.stringify(type)
}
