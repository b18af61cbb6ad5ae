import { PageHeader } from '../../components/PageHeader.tsx'
import { useTitle } from '../../components/useTitle.ts'

export function AttestationsPage() {
  useTitle('Attestations')
  return <PageHeader title="Attestations" />
}
