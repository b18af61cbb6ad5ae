import { stringifySearch } from '../format/readSearch.ts'
import { useIsPast } from './useMoment.ts'
import { buttonClass } from './Button.tsx'

export interface ExportLinksProps {
  readonly records: 'attestations' | 'schemas'
  /** The filters, as parameters of the interface. */
  readonly query: object
}

const formats = {
  attestations: { csv: 'Export CSV', ndjson: 'NDJSON', parquet: 'Parquet' },
  schemas: { csv: 'Export CSV', ndjson: 'NDJSON' },
} as const

/** All of a list as a file, as each of the interface's formats. CSV of attestations has their decoded payloads. */
export function ExportLinks({ records, query }: ExportLinksProps) {
  // Files hold only the present state.
  if (useIsPast()) return null
  return (
    <>
      {Object.entries(formats[records]).map(([format, label]) => {
        const include = records === 'attestations' && format === 'csv' ? 'decoded' : undefined
        return (
          <a
            key={format}
            className={buttonClass()}
            href={`/scan/export/${records}.${format}${stringifySearch({ ...query, include })}`}
            download
            aria-label={`Export ${format === 'parquet' ? 'Parquet' : format.toUpperCase()}`}
          >
            {label}
          </a>
        )
      })}
    </>
  )
}
