import { PageHeader } from '../../components/PageHeader.tsx'
import { useTitle } from '../../components/useTitle.ts'

export function SchemaPage() {
  useTitle('Schema')
  return <PageHeader title="Schema" />
}
