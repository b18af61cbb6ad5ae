import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { aboutChains } from '@attestry/server/pipeline/asOf/openView.ts'
import { chainsOfListed } from '@attestry/server/pipeline/parameters/idParameters.ts'
import { refusedKeywordParameter } from '@attestry/server/pipeline/parameters/listingParameters.ts'
import {
  schemaFilterOf,
  schemaFilterParameters,
} from '@attestry/server/pipeline/parameters/schemaFilterParameters.ts'
import type { ExportedFile } from './exportedFile.ts'
import { cellsOf, describeColumns, exportedSchema, schemaColumns } from './exportedRows.ts'
import { csvPieces, exportPieces } from './exportPieces.ts'

const parameters = { ...schemaFilterParameters, keyword: refusedKeywordParameter } as const

type SchemaFile = ExportedFile<typeof parameters, StoredSchema>

/** The files of schemas. */
export function schemaExports({ reader }: { readonly reader: IndexReader }): readonly SchemaFile[] {
  const source: SchemaFile['source'] = (values) => {
    const filter = schemaFilterOf(values)
    if (filter === null) return Promise.resolve(null)
    return Promise.resolve(async (after, limit) => {
      // This read is at least as new as any answer before.
      await reader.indexVersion()
      return await reader.sliceSchemas({ filter, order: 'oldestFirst', after, limit })
    })
  }
  const about: SchemaFile['about'] = ({ chainId }) => aboutChains(chainsOfListed(chainId))
  const shared = { name: 'schemas', parameters, source, about }
  return [
    {
      ...shared,
      form: 'ndjson',
      description: describeColumns(schemaColumns, true),
      open: (slice) =>
        Promise.resolve(
          exportPieces({ slice, formatRow: (row) => `${JSON.stringify(exportedSchema(row))}\n` }),
        ),
    },
    {
      ...shared,
      form: 'csv',
      description: describeColumns(schemaColumns, false),
      open: (slice) =>
        Promise.resolve(
          csvPieces(slice, schemaColumns, (row) => cellsOf(exportedSchema(row), schemaColumns)),
        ),
    },
  ]
}
