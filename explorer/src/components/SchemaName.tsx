import { useQuery } from '@tanstack/react-query'
import { schemaQuery } from '../api/queries.ts'
import { localIdOf } from '../format/localIdOf.ts'
import { SchemaLink } from './RecordLink.tsx'
import { useProtocol } from './useProtocol.ts'

/** The name of a schema with a known composite id; the id until the name is loaded. */
export function SchemaName({ id }: { readonly id: string }) {
  const { data: schema } = useQuery(schemaQuery(id, useProtocol()))
  const localId = schema?.schemaId ?? localIdOf(id)
  return schema === undefined ? localId : <SchemaLink id={id} localId={localId} name={schema.name} />
}
