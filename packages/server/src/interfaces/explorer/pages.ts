/** The pages of the explorer: the path of each, and its entry module within the explorer. */
export const pages = {
  home: { path: '/', source: 'src/pages/home/HomePage.tsx' },
  schemas: { path: '/schemas', source: 'src/pages/schemas/SchemasPage.tsx' },
  attestations: { path: '/attestations', source: 'src/pages/attestations/AttestationsPage.tsx' },
  agents: { path: '/agents', source: 'src/pages/agents/AgentsPage.tsx' },
  agent: { path: '/agent/:id', source: 'src/pages/agent/AgentPage.tsx' },
  stats: { path: '/stats', source: 'src/pages/stats/StatsPage.tsx' },
  embed: { path: '/embed', source: 'src/pages/stats/EmbedPage.tsx' },
  search: { path: '/search', source: 'src/pages/search/SearchPage.tsx' },
  schema: { path: '/schema/:id', source: 'src/pages/schema/SchemaPage.tsx' },
  attestation: { path: '/attestation/:id', source: 'src/pages/attestation/AttestationPage.tsx' },
  address: { path: '/address/:address', source: 'src/pages/address/AddressPage.tsx' },
  gate: { path: '/gate', source: 'src/pages/gate/GatePage.tsx' },
  transaction: { path: '/transaction/:hash', source: 'src/pages/transaction/TransactionPage.tsx' },
  chains: { path: '/chains', source: 'src/pages/chains/ChainsPage.tsx' },
  chain: { path: '/chain/:id', source: 'src/pages/chain/ChainPage.tsx' },
  portal: { path: '/portal/:address', source: 'src/pages/portal/PortalPage.tsx' },
  verify: { path: '/verify', source: 'src/pages/verify/VerifyPage.tsx' },
  shared: { path: '/offchain/url', source: 'src/pages/verify/VerifyPage.tsx' },
} as const

export type PageName = keyof typeof pages

export const pageNames = Object.keys(pages) as readonly PageName[]
