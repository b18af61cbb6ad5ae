import { Card } from '../../components/Card.tsx'
import { Snippet } from '../../components/Snippet.tsx'
import { stringifySearch } from '../../format/readSearch.ts'
import styles from './Snippets.module.css'

/**
 * Ready-made requests for the shown data. Id and protocol are those of an indexed schema, and hold no character that a
 * shell interprets.
 */
export function Snippets({ id, protocol }: { readonly id: string; readonly protocol: string | undefined }) {
  const base = window.location.origin
  const one = stringifySearch({ protocol })
  const more = one.replace('?', '&')
  return (
    <Card title="Use it from code">
      <div className={styles.snippets}>
        <Snippet label="The schema, by REST" code={`curl '${base}/scan/schemas/${id}${one}'`} />
        <Snippet
          label="Its attestations, decoded"
          code={`curl '${base}/scan/attestations?schemaId=${id}&fields=detail&include=decoded${more}'`}
        />
        <Snippet label="Its attestations, by GraphQL" code={graphqlRequest(base, id, protocol)} />
        <Snippet
          label="New ones as they are made"
          code={`curl -N '${base}/scan/events?schemaId=${id}${more}'`}
        />
      </div>
    </Card>
  )
}

function graphqlRequest(base: string, id: string, protocol: string | undefined): string {
  const query =
    'query ($schemaId: String, $protocol: String) ' +
    '{ attestations(filter: {schemaId: $schemaId, protocol: $protocol}, first: 10) ' +
    '{ totalCount nodes { id attester recipients revoked decodedData { name value } } pageInfo { endCursor } } }'
  const body = JSON.stringify({ query, variables: { schemaId: id, protocol } })
  return `curl '${base}/graphql' -H 'content-type: application/json' \\\n  -d '${body}'`
}
