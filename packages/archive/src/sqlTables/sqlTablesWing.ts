import { Type } from 'typebox'
import { formatCompositeId, parseCompositeId } from '@attestry/core/model/compositeId.ts'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { MistakeFound, type Mistake } from '@attestry/host/config/mistakes.ts'
import { block } from '@attestry/host/config/schemaKeys.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { ConfiguredTable } from './followTables.ts'
import type { TypedDatabase } from './typedDatabase.ts'
import { isReservedName, namePattern } from './tableNames.ts'

const table = block(null, {
  schema: Type.String({
    minLength: 1,
    description: 'The id of the schema.',
    examples: ['onchain_evm_10_0x6b0c1ab2d8f96ba7c7d95e3a41f6bd43c3b7c5e6c4a5bb3a0d7b5a0c8f0e1d2c'],
  }),
  name: Type.String({
    minLength: 1,
    description: 'The name of the view: lower-case letters, digits and _, at most 48 of them.',
    examples: ['kyc'],
  }),
})

const keys = {
  sql: Type.Optional(
    block('Views for SQL of single schemas (docs/sql.md).', {
      tables: Type.Optional(
        Type.Array(table, {
          description: 'Schemas whose attestations get a view with a column for each field.',
        }),
      ),
    }),
  ),
}

/** Views with typed columns for the attestations of chosen schemas. */
export const sqlTablesWing: Wing<readonly ConfiguredTable[], typeof keys, NoKeys> = {
  name: 'sqlTables',
  keys,
  resolve: ({ file: { sql } }) => resolveTables(sql?.tables ?? []),
  beforeIndexing: async ({ config }, tables) => {
    if (tables.length === 0) return
    const { assertNamesFree } = await import('./tableNames.ts')
    await assertNamesFree(config.database, tables)
  },
  index: async ({ database, tail, clock, log, stop }, tables) => {
    const { openTyped } = await import('./openTyped.ts')
    const { followTables } = await import('./followTables.ts')
    const { readVersion } = await import('@attestry/host/readVersion.ts')
    const { decodeAttestedPayload: decodePayload } =
      await import('@attestry/core/protocols/decodeAttestedPayload.ts')
    const open = () => openTyped(database)
    // Tables of an earlier configuration are dropped.
    if (tables.length === 0 && !(await hasNotes(open))) return { ended: Promise.resolve() }
    return {
      ended: followTables({ open, tables, program: readVersion(), decodePayload, tail, clock, log }, stop),
    }
  },
}

async function hasNotes(open: () => Promise<TypedDatabase>): Promise<boolean> {
  const database = await open()
  try {
    return await database.hasNotes()
  } finally {
    await database.close()
  }
}

function resolveTables(
  given: readonly { readonly schema: string; readonly name: string }[],
): readonly ConfiguredTable[] {
  const mistakes: Mistake[] = []
  const names = new Set<string>()
  const tables = given.flatMap(({ schema, name }, index): ConfiguredTable[] => {
    const path = ['sql', 'tables', index]
    const parsed = parseCompositeId(schema)
    if (parsed.kind !== 'record') {
      mistakes.push({
        path: [...path, 'schema'],
        text: `must be the id of a schema, such as onchain_evm_10_0x1a, but is ${quoteText(schema)}`,
      })
    }
    const problem = nameProblem(name, names)
    if (problem !== null) mistakes.push({ path: [...path, 'name'], text: problem })
    for (const view of [name, `${name}_recipients`]) names.add(view)
    return parsed.kind === 'record'
      ? [{ name, schemaId: formatCompositeId(parsed.key), key: parsed.key }]
      : []
  })
  if (mistakes.length > 0) throw new MistakeFound(mistakes)
  return tables
}

function nameProblem(name: string, taken: ReadonlySet<string>): string | null {
  if (!namePattern.test(name)) {
    return `must be lower-case letters, digits and _, beginning with a letter, at most 48 of them, but is ${quoteText(name)}`
  }
  if (isReservedName(name))
    return `must be a name that Attestry does not use itself, but is ${quoteText(name)}`
  return taken.has(name) || taken.has(`${name}_recipients`)
    ? `must differ from the names of other tables, each of which also makes a view that ends in _recipients, but is ${quoteText(name)}`
    : null
}
