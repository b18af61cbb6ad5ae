import { PageHeader } from '../../components/PageHeader.tsx'
import { useTitle } from '../../components/useTitle.ts'

export function SearchPage() {
  useTitle('Search')
  return <PageHeader title="Search" />
}
