import type { ProtocolPage } from '../format/protocolPage.ts'
import { Icon } from './Icon.tsx'

/** The way to the page of a record at the explorer of its protocol. */
export function ProtocolLink({ page: { href, name } }: { readonly page: ProtocolPage }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {name} <Icon name="external" />
    </a>
  )
}
