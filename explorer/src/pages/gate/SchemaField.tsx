import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { schemaQuery, searchQuery } from '../../api/queries.ts'
import type { SearchGroup } from '../../api/types.ts'
import { Button } from '../../components/Button.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { classNames } from '../../components/classNames.ts'
import controls from '../../components/filters/Field.module.css'
import { SafeText } from '../../components/SafeText.tsx'
import { SchemaName } from '../../components/SchemaName.tsx'
import { plainText } from '../../format/inspectText.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import { keywordOf } from '../../search/readLink.ts'
import popup from '../../search/SearchBox.module.css'
import { useDebounced } from '../../search/useDebounced.ts'
import styles from './GatePage.module.css'

/** The pause in typing before a search, in milliseconds. */
const restMs = 140

type SchemaRow = Extract<SearchGroup, { type: 'schema' }>['rows'][number]

export interface SchemaFieldProps {
  /** Composite id; empty until one is chosen. */
  readonly schema: string
  readonly onChoose: (schema: string, protocol: string | undefined) => void
}

/** The schema of a condition: its name with its chain, or a search for one. */
export function SchemaField({ schema, onChoose }: SchemaFieldProps) {
  const [isSearching, setSearching] = useState(false)
  if (schema === '' || isSearching) {
    return (
      <SchemaSearch
        onChoose={(row) => {
          setSearching(false)
          onChoose(row.id, row.protocol)
        }}
      />
    )
  }
  return (
    <div className={styles.chosen}>
      <span className={styles.chosenName}>
        <SchemaName id={schema} /> <Origin id={schema} />
      </span>
      <Button onClick={() => setSearching(true)}>Change the schema</Button>
    </div>
  )
}

function Origin({ id }: { readonly id: string }) {
  const { data } = useQuery(schemaQuery(id))
  return data === undefined ? null : <ChainBadge chainId={data.chainId} protocol={data.protocol} />
}

function SchemaSearch({ onChoose }: { readonly onChoose: (row: SchemaRow) => void }) {
  const [text, setText] = useState('')
  const wanted = keywordOf(text).slice(0, 256)
  const keyword = useDebounced(wanted, restMs)
  const { data, isFetching, isError } = useQuery({ ...searchQuery(keyword), enabled: keyword !== '' })
  const isAnswered = keyword === wanted && !isFetching
  // Enter chooses the first row: none of another word stands there.
  const rows = (isAnswered ? (data ?? []) : []).flatMap((group) =>
    group.type === 'schema' ? group.rows : [],
  )
  return (
    <Autocomplete.Root
      items={rows}
      filter={null}
      mode="none"
      value={text}
      onValueChange={(value, { reason }) => {
        if (reason !== 'item-press') setText(value)
      }}
      itemToStringValue={(row: SchemaRow) => row.id}
      autoHighlight
    >
      <Autocomplete.Input
        className={classNames(controls.control)}
        aria-label="Schema"
        placeholder="Name or id of a schema, such as KYC"
        autoComplete="off"
        spellCheck={false}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner className={popup.positioner ?? ''} sideOffset={6} align="start">
          <Autocomplete.Popup className={popup.popup ?? ''}>
            <Autocomplete.Status className={popup.status ?? ''}>
              {wanted === '' || rows.length > 0
                ? ''
                : isError
                  ? 'The search does not answer.'
                  : isAnswered
                    ? 'No schema found by this name or id.'
                    : 'Searching …'}
            </Autocomplete.Status>
            <Autocomplete.List className={popup.list ?? ''}>
              {(row: SchemaRow) => (
                <Autocomplete.Item
                  key={`${row.id} ${row.protocol ?? ''}`}
                  value={row}
                  className={popup.item ?? ''}
                  onClick={() => onChoose(row)}
                >
                  <span className={styles.found} title={plainText(row.id, 100)}>
                    {row.name === '' ? (
                      `Unnamed ${shortenMiddle(row.schemaId, 8, 4)}`
                    ) : (
                      <SafeText text={row.name} lengthMax={60} />
                    )}
                    <ChainBadge chainId={row.chainId} protocol={row.protocol} />
                  </span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}
