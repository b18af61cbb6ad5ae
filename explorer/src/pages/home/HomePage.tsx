import { PageHeader } from '../../components/PageHeader.tsx'
import { useTitle } from '../../components/useTitle.ts'

export function HomePage() {
  useTitle('Home')
  return <PageHeader title="Home" />
}
