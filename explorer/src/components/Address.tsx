import { Link } from '@tanstack/react-router'
import { shortAgentId } from '../format/agentId.ts'
import { isAddress } from '../format/checkFilter.ts'
import { knownName } from '../api/knownNames.ts'
import { plainText } from '../format/inspectText.ts'
import { nameSource } from '../format/nameSource.ts'
import { shortenMiddle } from '../format/shortenMiddle.ts'
import { CopyButton } from './CopyButton.tsx'
import { Identicon } from './Identicon.tsx'
import { NamedBy } from './NamedBy.tsx'
import { SafeText } from './SafeText.tsx'
import styles from './Address.module.css'
import { classNames } from './classNames.ts'
import digits from './digits.module.css'

export interface AddressProps {
  /** Checksummed, as the interface answers it; of recipients also any other text. */
  readonly address: string
  /** `full` shows every digit where there is room; shortened in the middle by default. */
  readonly full?: boolean
  /** Without a link: for the page of the address itself. */
  readonly linked?: boolean
  readonly copyable?: boolean
}

/**
 * An account: picture, its name or else digits, link and copy button. While an address is hovered, every other
 * occurrence of the same address is highlighted (`useSameAddressHighlight`), so that a lookalike address is not mistaken
 * for it. A recipient that is not an address is shown as text; an agent
 * of ERC-8004 leads to its page.
 */
export function Address({ address, full = false, linked = true, copyable = true }: AddressProps) {
  if (!isAddress(address)) return <OtherRecipient text={address} copyable={copyable} />
  const known = knownName(address)
  const digitsClass = classNames(digits.digits, full && digits.full)
  const looks =
    known === undefined || full
      ? { title: address, className: digitsClass, children: full ? address : shortenMiddle(address) }
      : {
          title: `${plainText(known.name, 100)} ${nameSource(known.source)}\n${address}`,
          className: styles.name,
          children: <SafeText text={known.name} lengthMax={60} />,
        }
  return (
    <span className={styles.address} data-address={address.toLowerCase()}>
      <Identicon of={address} />
      {linked ? <Link to="/address/$address" params={{ address }} {...looks} /> : <span {...looks} />}
      {full && known !== undefined && (
        <span className={styles.named}>
          <NamedBy id={address} />
        </span>
      )}
      {copyable && <CopyButton value={address} label={`Copy address ${shortenMiddle(address)}`} />}
    </span>
  )
}

function OtherRecipient({ text, copyable }: { readonly text: string; readonly copyable: boolean }) {
  if (text === '') return <span className={styles.none}>empty</span>
  const agent = shortAgentId(text)
  return (
    <span className={styles.address}>
      {agent === text ? (
        <span className={styles.other} title={plainText(text, 300)}>
          <SafeText text={text} lengthMax={200} />
        </span>
      ) : (
        <Link to="/agent/$id" params={{ id: agent }} search={{}} title={text}>
          Agent {agent.split(':')[1]}
        </Link>
      )}
      {copyable && <CopyButton value={text} label="Copy recipient" />}
    </span>
  )
}
