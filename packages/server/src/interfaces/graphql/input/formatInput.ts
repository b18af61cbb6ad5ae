import type { Parameter, ParameterSet } from '../../../pipeline/parameters/parameter.ts'

/** The enumerations of GraphQL whose values are the choices of a parameter. */
const enumerations: Readonly<Record<string, string>> = {
  content: 'ContentState',
  dataLocation: 'DataLocation',
}

/**
 * The definition of an input object that `readFilters.ts` reads: its members are parameters of the REST interface, and
 * conditions on fields, which GraphQL writes as a list.
 */
export function formatInput(name: string, description: string, parameters: ParameterSet): string {
  const members = Object.entries(parameters).map(([member, parameter]) => {
    if (member === 'fieldConditions')
      return described('Conditions on the decoded payload; all must hold.', 'fields: [FieldFilter!]')
    return described(describe(parameter), `${member}: ${typeOf(member, parameter)}`)
  })
  return `${described(description, `input ${name} {`)}\n${members.join('\n')}\n}`
}

function described(description: string, definition: string): string {
  return `"""${description}"""\n${definition}`
}

/** A TypeBox schema is a JSON Schema; its static type hides the keywords. */
function describe({ schema }: Parameter<unknown>): string {
  return (schema as { readonly description?: string }).description ?? ''
}

function typeOf(member: string, { name, schema }: Parameter<unknown>): string {
  if (name.endsWith('[in]')) return '[String!]'
  const { type } = schema as { readonly type?: string }
  // Times do not fit into the 32 bits of `Int`.
  if (type === 'integer') return 'Float'
  return type === 'boolean' ? 'Boolean' : (enumerations[member] ?? 'String')
}
