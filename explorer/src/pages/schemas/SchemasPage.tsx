import { PageHeader } from '../../components/PageHeader.tsx'
import { useTitle } from '../../components/useTitle.ts'

export function SchemasPage() {
  useTitle('Schemas')
  return <PageHeader title="Schemas" />
}
