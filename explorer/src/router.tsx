import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router'
import { AppShell } from './app/AppShell.tsx'
import { readShellSearch } from './app/shellSearch.ts'
import { ErrorPage } from './app/ErrorPage.tsx'
import { NotFoundPage } from './app/NotFoundPage.tsx'
import { PagePending } from './app/PagePending.tsx'
import { parseSearch, stringifySearch } from './format/readSearch.ts'
import { readAddressSearch } from './pages/address/addressSearch.ts'
import { readAgentSearch } from './pages/agent/agentSearch.ts'
import { readAgentsSearch } from './pages/agents/agentsSearch.ts'
import { readAttestationSearch } from './pages/attestation/attestationSearch.ts'
import { readAttestationsSearch } from './pages/attestations/attestationsSearch.ts'
import { readChainsSearch } from './pages/chains/chainsSearch.ts'
import { readGateSearch } from './pages/gate/gateSearch.ts'
import { readPortalSearch } from './pages/portal/portalSearch.ts'
import { readSchemaSearch } from './pages/schema/schemaSearch.ts'
import { readSchemasSearch } from './pages/schemas/schemasSearch.ts'
import { readTransactionSearch } from './pages/transaction/transactionSearch.ts'
import { embedPath, readEmbedSearch, readStatsSearch } from './pages/stats/statsSearch.ts'
import { readSearchSearch } from './pages/search/searchSearch.ts'

/**
 * The paths of the explorer. A page's code is loaded with the page. Path and search parameters hold a page's state;
 * each page reads them by a pure function of its own folder.
 */
const rootRoute = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({
  validateSearch: readShellSearch,
  // Only the bar that shows the moment leaves the past.
  search: { middlewares: [retainSearchParams(['asOf'])] },
  component: AppShell,
  notFoundComponent: NotFoundPage,
})

const routes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/home/HomePage.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/schemas',
    validateSearch: readSchemasSearch,
    component: lazyRouteComponent(() => import('./pages/schemas/SchemasPage.tsx'), 'SchemasPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/schema/$id',
    validateSearch: readSchemaSearch,
    component: lazyRouteComponent(() => import('./pages/schema/SchemaPage.tsx'), 'SchemaPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/attestations',
    validateSearch: readAttestationsSearch,
    component: lazyRouteComponent(
      () => import('./pages/attestations/AttestationsPage.tsx'),
      'AttestationsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/attestation/$id',
    validateSearch: readAttestationSearch,
    component: lazyRouteComponent(() => import('./pages/attestation/AttestationPage.tsx'), 'AttestationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/agents',
    validateSearch: readAgentsSearch,
    component: lazyRouteComponent(() => import('./pages/agents/AgentsPage.tsx'), 'AgentsPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/agent/$id',
    validateSearch: readAgentSearch,
    component: lazyRouteComponent(() => import('./pages/agent/AgentPage.tsx'), 'AgentPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/address/$address',
    validateSearch: readAddressSearch,
    component: lazyRouteComponent(() => import('./pages/address/AddressPage.tsx'), 'AddressPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/transaction/$hash',
    validateSearch: readTransactionSearch,
    component: lazyRouteComponent(() => import('./pages/transaction/TransactionPage.tsx'), 'TransactionPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/chains',
    validateSearch: readChainsSearch,
    component: lazyRouteComponent(() => import('./pages/chains/ChainsPage.tsx'), 'ChainsPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/chain/$id',
    component: lazyRouteComponent(() => import('./pages/chain/ChainPage.tsx'), 'ChainPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/portal/$address',
    validateSearch: readPortalSearch,
    remountDeps: ({ params, search }) => [params, search.chainId],
    component: lazyRouteComponent(() => import('./pages/portal/PortalPage.tsx'), 'PortalPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/stats',
    validateSearch: readStatsSearch,
    component: lazyRouteComponent(() => import('./pages/stats/StatsPage.tsx'), 'StatsPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: embedPath,
    validateSearch: readEmbedSearch,
    component: lazyRouteComponent(() => import('./pages/stats/EmbedPage.tsx'), 'EmbedPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/search',
    validateSearch: readSearchSearch,
    component: lazyRouteComponent(() => import('./pages/search/SearchPage.tsx'), 'SearchPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/gate',
    validateSearch: readGateSearch,
    component: lazyRouteComponent(() => import('./pages/gate/GatePage.tsx'), 'GatePage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/verify',
    component: lazyRouteComponent(() => import('./pages/verify/VerifyPage.tsx'), 'VerifyPage'),
  }),
  // The path of the links that easscan shares; the attestation is the fragment.
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/offchain/url',
    component: lazyRouteComponent(() => import('./pages/verify/VerifyPage.tsx'), 'VerifyPage'),
  }),
] as const

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: rootRoute.addChildren(routes),
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // Another record is another page: nothing of the last one is shown while answers are awaited. A list stays.
    defaultRemountDeps: ({ params, search }) => [
      params,
      'id' in params && 'protocol' in search ? search.protocol : undefined,
    ],
    defaultErrorComponent: ErrorPage,
    defaultPendingComponent: PagePending,
    defaultPendingMs: 150,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: ReturnType<typeof createAppRouter>
  }
}
