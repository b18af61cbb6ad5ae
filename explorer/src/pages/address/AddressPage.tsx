import { PageHeader } from '../../components/PageHeader.tsx'
import { useTitle } from '../../components/useTitle.ts'

export function AddressPage() {
  useTitle('Address')
  return <PageHeader title="Address" />
}
