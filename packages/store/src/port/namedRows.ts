import { parseColumnSpec, type ColumnSpec, type ValueOf } from '../layout/tables.ts'
import type { Reads, SqlInput, SqlRow } from './reads.ts'

/** The members of rows: what each holds, but integers beyond 2^53, and the expression of it. */
type Members = Readonly<Record<string, readonly [spec: ColumnSpec, sql: string]>>

type NamedRow<Named extends Members> = { readonly [Name in keyof Named]: ValueOf<Named[Name][0]> }

/**
 * The rows of a select as objects, some hundreds at a time. `from` is the statement from its `FROM` on. For walks of
 * many rows whose reading costs little beside what is done with them.
 */
export async function* namedRows<const Named extends Members>(
  { batches, dialect }: Reads,
  named: Named,
  from: string,
  ...parameters: readonly SqlInput[]
): AsyncGenerator<NamedRow<Named>[]> {
  const members = Object.entries(named).map(([name, [spec]]) => [name, parseColumnSpec(spec).type] as const)
  const selected = Object.values(named).map(([, sql]) => sql)
  for await (const rows of batches<SqlRow>(`SELECT ${selected.join(', ')} ${from}`, ...parameters)) {
    yield rows.map((row) => {
      const object: Record<string, unknown> = {}
      for (const [index, [name, type]] of members.entries()) {
        const value = row[index] ?? null
        if (value === null) object[name] = null
        else if (type === 'chainText') object[name] = dialect.decodeText(value)
        else object[name] = type === 'boolean' ? Boolean(value) : value
      }
      return object as NamedRow<Named>
    })
  }
}
