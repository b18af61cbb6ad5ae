import { ChainBadge } from '../components/ChainBadge.tsx'
import { Icon } from '../components/Icon.tsx'
import { Identicon } from '../components/Identicon.tsx'
import { SafeText } from '../components/SafeText.tsx'
import { isAddress } from '../format/checkFilter.ts'
import { shortAgentId } from '../format/agentId.ts'
import { formatQuantity } from '../format/formatCount.ts'
import { shortenMiddle } from '../format/shortenMiddle.ts'
import styles from './SuggestionItem.module.css'
import type { Suggestion } from './searchSuggestions.ts'

/** One suggestion of the search box. */
export function SuggestionItem({ suggestion }: { readonly suggestion: Suggestion }) {
  switch (suggestion.kind) {
    case 'schema':
      return (
        <>
          <Icon name="schema" className={styles.icon ?? ''} />
          <span className={styles.main}>
            {suggestion.name === '' ? 'Unnamed schema' : <SafeText text={suggestion.name} lengthMax={80} />}
          </span>
          <span className={styles.id}>{shortenMiddle(suggestion.localId, 6, 4)}</span>
          <span className={styles.chain}>
            <ChainBadge chainId={suggestion.chainId} protocol={suggestion.protocol} linked={false} />
          </span>
        </>
      )
    case 'attestation':
      return (
        <>
          <Icon name="attestation" className={styles.icon ?? ''} />
          <span className={styles.main}>
            <span className={styles.mono}>{shortenMiddle(suggestion.localId, 10, 6)}</span>
            <span className={styles.side}> by {shortenMiddle(suggestion.attester)}</span>
          </span>
          <span className={styles.chain}>
            <ChainBadge chainId={suggestion.chainId} protocol={suggestion.protocol} linked={false} />
          </span>
        </>
      )
    case 'address':
      return (
        <>
          <Identicon of={suggestion.address} />
          <span className={styles.main}>
            <span className={styles.mono}>{shortenMiddle(suggestion.address, 10, 8)}</span>
          </span>
          <span className={styles.side}>{formatQuantity(suggestion.recordCount, 'record')}</span>
        </>
      )
    case 'agent':
      return (
        <>
          <Icon name="search" className={styles.icon ?? ''} />
          <span className={styles.main}>
            {suggestion.name === '' ? 'Unnamed agent' : <SafeText text={suggestion.name} lengthMax={80} />}
          </span>
          <span className={styles.id}>{shortAgentId(suggestion.id)}</span>
          <span className={styles.chain}>
            <ChainBadge chainId={suggestion.chainId} linked={false} />
          </span>
        </>
      )
    case 'value':
      return (
        <>
          <Icon name="attestation" className={styles.icon ?? ''} />
          <span className={styles.main}>
            <SafeText text={suggestion.field} lengthMax={40} /> is{' '}
            <SafeText text={suggestion.value} lengthMax={60} />
            <span className={styles.side}>
              {' '}
              in{' '}
              {suggestion.name === '' ? (
                'an unnamed schema'
              ) : (
                <SafeText text={suggestion.name} lengthMax={60} />
              )}
            </span>
          </span>
          <span className={styles.side}>{formatQuantity(suggestion.attestationCount, 'record')}</span>
          <span className={styles.chain}>
            <ChainBadge chainId={suggestion.chainId} protocol={suggestion.protocol} linked={false} />
          </span>
        </>
      )
    case 'name':
      return (
        <>
          {isAddress(suggestion.id) ? (
            <Identicon of={suggestion.id} />
          ) : (
            <Icon name="schema" className={styles.icon ?? ''} />
          )}
          <span className={styles.main}>
            <SafeText text={suggestion.name} lengthMax={80} />
          </span>
          <span className={styles.side}>{suggestion.source}</span>
        </>
      )
    case 'recent':
      return (
        <>
          <Icon name="clock" className={styles.icon ?? ''} />
          <span className={styles.main}>{suggestion.keyword}</span>
        </>
      )
    case 'all':
      return (
        <>
          <Icon name="arrowRight" className={styles.icon ?? ''} />
          <span className={styles.main}>See all {formatQuantity(suggestion.total, 'result')}</span>
        </>
      )
  }
}
