import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { PresentedError } from './graphqlError.ts'
import { limitError, type GraphqlLimits } from './limits.ts'

/**
 * The first limit that an operation of a document exceeds, or null. It runs before validation and bounds the work of
 * validation. Fragments count at every spread, directives change nothing, and a fragment inside itself counts as empty,
 * since validation will refuse it. The work is linear in the document.
 */
export function findExceededLimit(document: DocumentNode, limits: GraphqlLimits): PresentedError | null {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const measured: MeasuredFragments = { fragments, sizes: new Map() }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const exceeded = checkOperation(measured, definition, limits)
    if (exceeded !== null) return exceeded
  }
  return null
}

function checkOperation(
  measured: MeasuredFragments,
  { selectionSet }: OperationDefinitionNode,
  limits: GraphqlLimits,
): PresentedError | null {
  const { fields, aliases, depth, width } = measureSelections(measured, selectionSet)
  if (width > limits.rootFields) return limitError('rootFields', limits.rootFields, width)
  if (aliases > limits.aliases) return limitError('aliases', limits.aliases, aliases)
  if (depth > limits.depth) return limitError('depth', limits.depth, depth)
  if (fields > limits.fields) return limitError('fields', limits.fields, fields)
  return null
}

interface MeasuredFragments {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly sizes: Map<string, Measure>
}

/**
 * The size of a selection set with all fragments spread. The numbers may lose precision, but never their order of size.
 */
interface Measure {
  /** Fields at its own level. */
  readonly width: number
  readonly fields: number
  readonly aliases: number
  readonly depth: number
}

const nothing: Measure = { width: 0, fields: 0, aliases: 0, depth: 0 }

function measureSelections(measured: MeasuredFragments, { selections }: SelectionSetNode): Measure {
  let { width, fields, aliases, depth } = nothing
  for (const selection of selections) {
    let inside: Measure
    if (selection.kind === Kind.FIELD) {
      const below = selection.selectionSet && measureSelections(measured, selection.selectionSet)
      const isIntrospection = selection.name.value.startsWith('__')
      inside = {
        width: 1,
        fields: 1 + (below?.fields ?? 0),
        aliases: (selection.alias === undefined ? 0 : 1) + (below?.aliases ?? 0),
        depth: 1 + (isIntrospection ? 0 : (below?.depth ?? 0)),
      }
    } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
      inside = measureFragment(measured, selection.name.value)
    } else {
      inside = measureSelections(measured, selection.selectionSet)
    }
    width += inside.width
    fields += inside.fields
    aliases += inside.aliases
    depth = Math.max(depth, inside.depth)
  }
  return { width, fields, aliases, depth }
}

function measureFragment(measured: MeasuredFragments, name: string): Measure {
  const known = measured.sizes.get(name)
  if (known !== undefined) return known
  const fragment = measured.fragments.get(name)
  if (fragment === undefined) return nothing
  // A cycle meets this entry while the fragment itself is measured.
  measured.sizes.set(name, nothing)
  const size = measureSelections(measured, fragment.selectionSet)
  measured.sizes.set(name, size)
  return size
}
