import { createElement, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '../createClient.ts'
import { AttestryProvider, useChanges, useReading } from '../react.ts'

/** A page that uses the hooks as an application would; the test reads what stands in it. */
function Schema({ id }: { readonly id: string }) {
  const { data, error, isLoading, behind } = useReading('/scan/schemas/{id}', { id })
  const text = error?.message ?? data?.name ?? (isLoading ? 'loading' : 'nothing')
  const title = `behind: ${behind.map(({ chainId }) => chainId).join() || 'none'}`
  return createElement('h1', { title }, text)
}

function Count({ schemaId }: { readonly schemaId: string }) {
  const { data } = useReading('/scan/attestations', { schemaId, size: 1 }, { follow: { schemaId } })
  const [revoked, setRevoked] = useState(0)
  useChanges({ schemaId }, ({ type }) => {
    if (type === 'revocation') setRevoked((last) => last + 1)
  })
  const total = data !== undefined && 'total' in data ? data.total : 'unknown'
  return createElement('output', null, `${total} made, ${revoked} revoked`)
}

function Application() {
  const [id, setId] = useState('onchain_evm_11155111_0x1')
  return createElement(
    'main',
    null,
    createElement(Schema, { id }),
    createElement(Count, { schemaId: 'onchain_evm_11155111_0x1' }),
    createElement('button', { onClick: () => setId('onchain_evm_11155111_0x2') }, 'next'),
    createElement('button', { onClick: () => setId('onchain_evm_77_0x1') }, 'elsewhere'),
    createElement('button', { onClick: () => setId('no id') }, 'wrong'),
  )
}

const baseUrl = new URLSearchParams(location.search).get('index') ?? ''
const client = createClient({ baseUrl })
createRoot(document.body).render(createElement(AttestryProvider, { client }, createElement(Application)))
