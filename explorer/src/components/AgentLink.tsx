import { Link } from '@tanstack/react-router'
import { shortAgentId } from '../format/agentId.ts'
import { Address } from './Address.tsx'
import styles from './RecordLink.module.css'
import { SafeText } from './SafeText.tsx'

export interface AgentLinkProps {
  /** `eip155:8453:0x…/22`. */
  readonly id: string
  /** As in its registration, which its owner writes; if empty, the number is shown. */
  readonly name: string
}

/** The name of an agent as a link to its page. */
export function AgentLink({ id, name }: AgentLinkProps) {
  const short = shortAgentId(id)
  return (
    <Link to="/agent/$id" params={{ id: short }} search={{}} className={styles.name} title={id}>
      {name === '' ? `Unnamed agent ${short.split(':')[1]}` : <SafeText text={name} lengthMax={120} />}
    </Link>
  )
}

/** An account of an agent, which may not be known. */
export function AgentAccount({
  address,
  full = false,
}: {
  readonly address: string
  readonly full?: boolean
}) {
  return address === '' ? <>None</> : <Address address={address} full={full} />
}
