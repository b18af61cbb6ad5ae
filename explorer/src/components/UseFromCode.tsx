import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { codeExamples, codeLanguages, type CodeLanguage, type CodeQuestion } from '../format/codeExamples.ts'
import { AttestryError } from '@attestry/client/attestryError.ts'
import { useIsPast } from './useMoment.ts'
import { Card } from './Card.tsx'
import { Segments } from './Segments.tsx'
import { Snippet } from './Snippet.tsx'
import styles from './UseFromCode.module.css'

const labels: Readonly<Record<CodeLanguage, string>> = {
  Gate: 'By the gate: allow, deny, or unknown while the index is behind',
  curl: 'By REST, with curl',
  TypeScript: 'With the client for TypeScript',
  GraphQL: 'By GraphQL, with curl',
  React: 'In a React app',
  DuckDB: 'Open in DuckDB, by a Parquet file',
  Status: 'Whether it holds now, for many ids at once, with curl',
  Wait: 'Answers as soon as it is indexed, within 30 seconds, with curl',
  Proof: 'Proof of the attestation, checked without this server',
  Badge: 'Badge with its status, for Markdown',
  Embed: 'Badge with its status, for a page',
  Changes: 'What changed since a cursor, revocations too, with curl',
  Edges: 'Who attested to whom, by valid attestations, for networkx',
  'Claude Code': 'From Claude Code, where this server has MCP',
  MCP: 'For clients of MCP, where this server has MCP',
  Reputation: 'What clients whom you trust say, as the registry computes it, with curl',
}

/**
 * Code that asks this index for what the page shows, in a language to choose. The card stands under what is read: it
 * comes once that is there, so that nothing moves, and neither where the index did not answer nor in the past.
 */
export function UseFromCode({ question }: { readonly question: CodeQuestion }) {
  const isReading = useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0
  const cache = useQueryClient().getQueryCache()
  const isAway = cache
    .getAll()
    .some((query) => query.isActive() && query.state.error !== null && !isRefusal(query.state.error))
  // The page of a record is as long as the record, whatever the lists on it have.
  const isEmpty =
    'filter' in question && cache.getAll().some((query) => query.isActive() && isEmptyPage(query.state.data))
  const isPast = useIsPast()
  return isReading || isAway || isEmpty || isPast ? null : <CodeCard question={question} />
}

/** Whether a list was asked for and has nothing: the page is short then, and its end would move. */
function isEmptyPage(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'total' in data && 'page' in data && data.total === 0
}

/** Whether the index answered, and said what is wrong with the question. */
function isRefusal(error: unknown): boolean {
  return error instanceof AttestryError && error.status >= 400 && error.status < 500
}

function CodeCard({ question }: { readonly question: CodeQuestion }) {
  const [chosen, setChosen] = useState<CodeLanguage>('Gate')
  const examples = codeExamples(question, window.location.origin)
  const languages = codeLanguages.filter((language) => examples[language] !== undefined)
  const language = examples[chosen] === undefined ? 'curl' : chosen
  return (
    <Card
      className={styles.card}
      title="Use it from code"
      actions={
        <Segments
          label="Language"
          choices={languages.map((value) => ({ value, label: value }))}
          value={language}
          onChange={setChosen}
        />
      }
    >
      <Snippet label={labels[language]} code={examples[language] ?? ''} />
    </Card>
  )
}
