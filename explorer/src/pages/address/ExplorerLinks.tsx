import { Icon } from '../../components/Icon.tsx'
import { explorerLink, useChains } from '../../components/useChain.ts'
import styles from './ExplorerLinks.module.css'

/** The same address in the block explorer of each chain that has one. */
export function ExplorerLinks({ address }: { readonly address: string }) {
  const chains = useChains()
  const links = (chains ?? []).flatMap((chain) => {
    const href = explorerLink(chain, 'address', address)
    return href === undefined ? [] : [{ href, name: chain.name }]
  })
  if (links.length === 0) return null
  return (
    <ul className={styles.links} aria-label="In block explorers">
      {links.map(({ href, name }) => (
        <li key={href}>
          <a href={href} target="_blank" rel="noreferrer">
            {name} <Icon name="external" />
          </a>
        </li>
      ))}
    </ul>
  )
}
