import { PageHeader } from '../../components/PageHeader.tsx'
import { useTitle } from '../../components/useTitle.ts'

export function AttestationPage() {
  useTitle('Attestation')
  return <PageHeader title="Attestation" />
}
