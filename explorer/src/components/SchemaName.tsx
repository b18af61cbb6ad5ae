import { useQuery } from '@tanstack/react-query'
import { schemaQuery } from '../api/queries.ts'
import { SchemaLink } from './RecordLink.tsx'

/** The name of a schema of which the composite id is known; the id until the name is. */
export function SchemaName({ id }: { readonly id: string }) {
  const { data: schema } = useQuery(schemaQuery(id))
  const localId = schema?.schemaId ?? id.split('_').at(-1) ?? id
  return schema === undefined ? localId : <SchemaLink id={id} localId={localId} name={schema.name} />
}
