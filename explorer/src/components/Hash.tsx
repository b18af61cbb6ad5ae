import { Link } from '@tanstack/react-router'
import { shortenMiddle } from '../format/shortenMiddle.ts'
import { CopyButton } from './CopyButton.tsx'
import { Icon } from './Icon.tsx'
import styles from './Hash.module.css'
import { classNames } from './classNames.ts'
import digits from './digits.module.css'

export interface HashProps {
  readonly hash: string
  /** The kind of hash, for the copy button: `transaction hash`. */
  readonly what: string
  /** Its page on a block explorer. */
  readonly href?: string | undefined
  /** Of a transaction with a page here: its chain. */
  readonly transactionOf?: string | undefined
  readonly full?: boolean
}

/** A hash or other long identifier, shortened in the middle, with a copy button. */
export function Hash({ hash, what, href, transactionOf, full = false }: HashProps) {
  const text = full ? hash : shortenMiddle(hash, 10, 6)
  const shown = (
    <span className={classNames(digits.digits, full && digits.full)} title={hash}>
      {text}
    </span>
  )
  return (
    <span className={styles.hash}>
      {transactionOf !== undefined && (
        <Link to="/transaction/$hash" params={{ hash }} search={{ chainId: transactionOf }}>
          {shown}
        </Link>
      )}
      {href === undefined ? (
        transactionOf === undefined && shown
      ) : (
        <a href={href} target="_blank" rel="noreferrer" className={styles.link}>
          {transactionOf === undefined && shown}
          <Icon name="external" className={styles.external ?? ''} />
          <span className="visuallyHidden">in a block explorer, in a new tab</span>
        </a>
      )}
      <CopyButton value={hash} label={`Copy ${what}`} />
    </span>
  )
}
