import { valueAt, type SchemaNode } from './describeSchemaMistake.ts'

/** The forms that a value may have; one where there is no choice. */
export function formsOf(node: SchemaNode): readonly SchemaNode[] {
  return node.anyOf ?? [node]
}

/**
 * Narrows each key that takes a block or list besides other values to the form that its value has, so that a mistake is
 * described against that form. Items of lists stay as they are.
 */
export function narrowSchema(node: SchemaNode, value: unknown): SchemaNode {
  const kind = kindOf(value)
  const form = node.anyOf?.find((each) => kindOfForm(each) === kind) ?? node
  if (form.properties === undefined) return form
  const properties = Object.entries(form.properties).map(([key, child]) => [
    key,
    narrowSchema(child, valueAt(value, [key])),
  ])
  return { ...form, properties: Object.fromEntries(properties) as Record<string, SchemaNode> }
}

type Kind = 'object' | 'array' | 'single'

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'object' && value !== null ? 'object' : 'single'
}

function kindOfForm({ type }: SchemaNode): Kind {
  return type === 'object' || type === 'array' ? type : 'single'
}

/** The key of a block that a text in place of the block is the value of; undefined if the schema has no short form. */
export function shortKeyOf(node: SchemaNode): string | undefined {
  const forms = formsOf(node)
  const block = forms.find(({ properties }) => properties !== undefined)
  const short = forms.find((form) => kindOfForm(form) === 'single')
  if (block?.properties === undefined || short === undefined) return undefined
  const text = JSON.stringify(short)
  return Object.entries(block.properties).find(([, child]) => JSON.stringify(child) === text)?.[0]
}

/** The schema of a member of a block or list. */
export function memberSchema(node: SchemaNode, part: string | number): SchemaNode {
  const members = formsOf(node).map((form) =>
    typeof part === 'number' ? form.items : form.properties?.[part],
  )
  return members.find((each) => each !== undefined) ?? {}
}
