import { stringifySearch } from '../format/readSearch.ts'
import { buttonClass } from './Button.tsx'

export interface ExportLinksProps {
  readonly records: 'attestations' | 'schemas'
  /** The filters, as parameters of the interface. */
  readonly query: object
}

/** All of a list as a file, as each of the interface's formats. */
export function ExportLinks({ records, query }: ExportLinksProps) {
  return (
    <>
      {(['csv', 'ndjson'] as const).map((format) => (
        <a
          key={format}
          className={buttonClass()}
          href={`/scan/export/${records}.${format}${stringifySearch({ ...query })}`}
          download
        >
          Export {format.toUpperCase()}
        </a>
      ))}
    </>
  )
}
