import { CSPProvider } from '@base-ui/react/csp-provider'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { showsMoments } from '../api/moment.ts'
import { readMoment } from '../format/moment.ts'
import { embedPath } from '../pages/stats/statsSearch.ts'
import { version } from '../../package.json'
import { classNames } from '../components/classNames.ts'
import { useSameAddressHighlight } from '../components/useSameAddressHighlight.ts'
import { ChainBanner } from './ChainBanner.tsx'
import { ChainsProvider } from './ChainsProvider.tsx'
import { SearchBox } from '../search/SearchBox.tsx'
import { guideOf } from './guideOf.ts'
import { OriginSwitch, useOrigin } from './OriginSwitch.tsx'
import { MomentField } from './MomentField.tsx'
import { Past } from './PastBar.tsx'
import { ThemeSwitch } from './ThemeSwitch.tsx'
import { TimeSwitch } from './TimeSwitch.tsx'
import styles from './AppShell.module.css'

/** The frame around every page. */
export function AppShell() {
  const isEmbedded = useRouterState({ select: ({ location }) => location.pathname === embedPath })
  return (
    <CSPProvider disableStyleElements>
      <ChainsProvider>
        {isEmbedded ? (
          <main className={styles.embedded}>
            <Outlet />
          </main>
        ) : (
          <WholePage />
        )}
        <ChainBanner />
      </ChainsProvider>
    </CSPProvider>
  )
}

function WholePage() {
  useSameAddressHighlight()
  const main = useFocusAfterNavigation()
  const origin = useOrigin()
  const canBePast = useRouterState({ select: ({ location }) => showsMoments(location.pathname) })
  const asked = useRouterState({ select: ({ location }) => location.search.asOf })
  const asOf = canBePast ? (readMoment(asked ?? '') ?? undefined) : undefined
  const guide = useRouterState({ select: ({ location }) => guideOf(location.pathname) })
  const isHome = useRouterState({ select: ({ location }) => location.pathname === '/' })
  return (
    <>
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      <header className={styles.header}>
        <div className={styles.bar}>
          <Link to="/" className={styles.brand} aria-label="Attestry, home">
            <Logo />
            <span>Attestry</span>
          </Link>
          <nav className={styles.navigation} aria-label="Main">
            <Link to="/attestations" search={origin} className={styles.item}>
              Attestations
            </Link>
            <Link to="/schemas" search={origin} className={styles.item}>
              Schemas
            </Link>
            <Link to="/agents" search={{ chainId: origin.chainId }} className={styles.item}>
              Agents
            </Link>
            <Link to="/verify" className={styles.item}>
              Verify
            </Link>
            <Link to="/gate" className={styles.item}>
              Gate
            </Link>
            <a href={guide} className={classNames(styles.item, styles.docs)} title="How this page works">
              Docs
            </a>
          </nav>
          <div className={styles.search}>
            <OriginSwitch origin={origin} asOf={asOf} />
            {!isHome && <HeaderSearch />}
          </div>
        </div>
      </header>
      <main id="content" className={styles.main} ref={main} tabIndex={-1}>
        {asOf === undefined ? (
          <Outlet key="now" />
        ) : (
          <Past key={asOf} asOf={asOf}>
            <Outlet />
          </Past>
        )}
      </main>
      <footer className={styles.footer}>
        <div className={styles.footing}>
          <span>Attestry {version}, the index of on-chain attestations</span>
          <nav className={styles.references} aria-label="Reference">
            <a href="/guide">Guide</a>
            <a href="/docs">REST</a>
            <a href="/graphql">GraphQL</a>
            <a href="/openapi.json">OpenAPI</a>
            <a href="https://github.com/attestry/attestry" target="_blank" rel="noreferrer">
              Source
            </a>
          </nav>
          {canBePast && <MomentField asOf={asOf} />}
          <TimeSwitch />
          <ThemeSwitch />
        </div>
      </footer>
    </>
  )
}

/** The search box shows the keyword of the page of results, also after going back and forth. */
function HeaderSearch() {
  const q = useRouterState({
    select: ({ location }) => (location.pathname === '/search' ? location.search.q : undefined),
  })
  return <SearchBox key={q} place="header" initial={q ?? ''} />
}

/**
 * Moves focus to the content after a change of page, as after a load, and after another change of the address if the
 * element that had the focus is gone.
 */
function useFocusAfterNavigation() {
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.searchStr })
  const earlier = useRef(path)
  const focused = useRef<EventTarget>(null)
  useEffect(() => {
    const keep = ({ target }: FocusEvent) => (focused.current = target)
    document.addEventListener('focusin', keep)
    return () => document.removeEventListener('focusin', keep)
  }, [])
  useEffect(() => {
    const isGone = focused.current instanceof Element && !focused.current.isConnected
    if (earlier.current === path && !isGone) return
    earlier.current = path
    focused.current = null
    main.current?.focus({ preventScroll: true })
  }, [path, shown])
  return main
}

function Logo() {
  return (
    <svg className={styles.logo} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M9 16.5l4.6 4.6L23.4 11" />
    </svg>
  )
}
