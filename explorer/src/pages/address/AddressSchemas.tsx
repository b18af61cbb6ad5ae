import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { schemasQuery } from '../../api/queries.ts'
import { EmptyState } from '../../components/EmptyState.tsx'
import { Listing } from '../../components/Listing.tsx'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { SchemaTable } from '../schemas/SchemaTable.tsx'

/** The schemas that an address registered. */
export function AddressSchemas({ address }: { readonly address: string }) {
  const { page = 1, size = pageSizeDefault, chainId } = useSearch({ from: '/address/$address' })
  const listed = useQuery(schemasQuery({ registrant: address, page, size, ...withoutAbsent({ chainId }) }))
  return (
    <Listing
      listed={listed}
      question={{ chainId }}
      page={page}
      size={size}
      what="schemas"
      empty={
        <EmptyState title="No schemas" icon="schema">
          <p>This address has registered no schema here.</p>
        </EmptyState>
      }
    >
      {(table) => <SchemaTable {...table} caption="Schemas that it registered" without={['Registrant']} />}
    </Listing>
  )
}
