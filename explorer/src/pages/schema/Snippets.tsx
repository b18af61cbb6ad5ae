import { Card } from '../../components/Card.tsx'
import { Snippet } from '../../components/Snippet.tsx'
import styles from './Snippets.module.css'

/**
 * Ready-made requests for the shown data. The id comes from the interface, and holds no character that a shell
 * interprets.
 */
export function Snippets({ id }: { readonly id: string }) {
  const base = window.location.origin
  return (
    <Card title="Use it from code">
      <div className={styles.snippets}>
        <Snippet label="The schema, by REST" code={`curl '${base}/scan/schemas/${id}'`} />
        <Snippet
          label="Its attestations, decoded"
          code={`curl '${base}/scan/attestations?schemaId=${id}&fields=detail&include=decoded'`}
        />
        <Snippet label="Its attestations, by GraphQL" code={graphqlRequest(base, id)} />
        <Snippet label="New ones as they are made" code={`curl -N '${base}/scan/events?schemaId=${id}'`} />
      </div>
    </Card>
  )
}

function graphqlRequest(base: string, id: string): string {
  const query =
    'query ($schemaId: String) { attestations(filter: {schemaId: $schemaId}, first: 10) ' +
    '{ totalCount nodes { id attester recipients revoked decodedData { name value } } pageInfo { endCursor } } }'
  const body = JSON.stringify({ query, variables: { schemaId: id } })
  return `curl '${base}/graphql' -H 'content-type: application/json' \\\n  -d '${body}'`
}
